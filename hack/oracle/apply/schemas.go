package main

import "math/rand"

type object = map[string]any

// schemas generates random structural schemas. They have few names, so that writes conflict.
type schemas struct {
	*rand.Rand
	depth int
}

func (s schemas) chance(percent int) bool { return s.Intn(100) < percent }

func pick[T any](r *rand.Rand, of ...T) T { return of[r.Intn(len(of))] }

// root returns the schema of a whole object.
func (s schemas) root() object {
	properties := object{
		"spec":   s.structure(s.depth),
		"status": s.structure(s.depth / 2),
	}
	if s.chance(20) {
		properties["extra"] = s.any(2)
	}
	root := object{"type": "object", "properties": properties}
	if s.chance(5) {
		root["x-kubernetes-preserve-unknown-fields"] = true
	}
	return root
}

func (s schemas) any(depth int) object {
	if depth <= 0 {
		return s.scalar()
	}
	switch s.Intn(12) {
	case 0, 1, 2:
		return s.structure(depth - 1)
	case 3:
		return s.mapping(depth - 1)
	case 4, 5:
		return s.keyed(depth - 1)
	case 6:
		return s.set()
	case 7:
		return s.atomicList(depth - 1)
	case 8:
		return s.unknown(depth - 1)
	case 9:
		return s.embedded()
	default:
		return s.scalar()
	}
}

func (s schemas) scalar() object {
	schema := pick(s.Rand,
		object{"type": "string"}, object{"type": "string"}, object{"type": "integer"},
		object{"type": "integer", "format": "int64"}, object{"type": "number"},
		object{"type": "boolean"}, object{"type": "string", "format": "date"},
		object{"type": "string", "format": "byte"},
		object{"x-kubernetes-int-or-string": true},
	)
	copied := object{}
	for key, value := range schema {
		copied[key] = value
	}
	if s.chance(15) {
		copied["nullable"] = true
	}
	return copied
}

func (s schemas) structure(depth int) object {
	properties := object{}
	for _, name := range []string{"a", "b", "c", "d"} {
		if s.chance(60) {
			properties[name] = s.any(depth)
		}
	}
	schema := object{"type": "object", "properties": properties}
	s.mark(schema)
	if s.chance(8) {
		schema["x-kubernetes-preserve-unknown-fields"] = true
	}
	return schema
}

// mark sometimes sets the map type or nullable of a map or struct.
func (s schemas) mark(schema object) {
	switch s.Intn(10) {
	case 0:
		schema["x-kubernetes-map-type"] = "atomic"
	case 1:
		schema["x-kubernetes-map-type"] = "granular"
	}
	if s.chance(10) {
		schema["nullable"] = true
	}
}

func (s schemas) mapping(depth int) object {
	schema := object{"type": "object", "additionalProperties": s.any(depth)}
	s.mark(schema)
	return schema
}

func (s schemas) keyed(depth int) object {
	properties := object{"name": object{"type": "string"}}
	keys := []any{"name"}
	required := []any{}
	name := properties["name"].(object)
	if s.chance(30) {
		name["default"] = "x"
	} else {
		required = append(required, "name")
	}
	if s.chance(40) {
		port := object{"type": "integer"}
		if s.chance(50) {
			port["default"] = 80
		} else {
			required = append(required, "port")
		}
		properties["port"] = port
		keys = append(keys, "port")
	}
	if s.chance(15) {
		keys[0], keys[len(keys)-1] = keys[len(keys)-1], keys[0]
	}
	for _, name := range []string{"a", "b"} {
		if s.chance(60) {
			properties[name] = s.any(depth)
		}
	}
	items := object{"type": "object", "properties": properties, "required": required}
	if s.chance(10) {
		items["x-kubernetes-map-type"] = "atomic"
	}
	return object{
		"type": "array", "items": items,
		"x-kubernetes-list-type": "map", "x-kubernetes-list-map-keys": keys,
	}
}

func (s schemas) set() object {
	items := pick(s.Rand, object{"type": "string"}, object{"type": "integer"},
		object{"x-kubernetes-int-or-string": true}, object{"type": "number"})
	return object{"type": "array", "items": items, "x-kubernetes-list-type": "set"}
}

func (s schemas) atomicList(depth int) object {
	schema := object{"type": "array", "items": s.any(depth)}
	if s.chance(50) {
		schema["x-kubernetes-list-type"] = "atomic"
	}
	return schema
}

func (s schemas) unknown(depth int) object {
	schema := object{"x-kubernetes-preserve-unknown-fields": true}
	if s.chance(60) {
		schema["type"] = "object"
		if s.chance(50) {
			schema["properties"] = object{"a": s.any(depth), "b": s.any(depth)}
		}
		s.mark(schema)
	}
	return schema
}

func (s schemas) embedded() object {
	schema := object{"type": "object", "x-kubernetes-embedded-resource": true}
	if s.chance(60) {
		schema["x-kubernetes-preserve-unknown-fields"] = true
	}
	if s.chance(50) || len(schema) == 2 {
		schema["properties"] = object{"spec": s.structure(1)}
	}
	return schema
}

// edited returns the schema with another topology: some lists and maps become atomic or granular.
func (s schemas) edited(schema object) object {
	edited := object{}
	for key, value := range schema {
		switch value := value.(type) {
		case object:
			if key == "properties" {
				properties := object{}
				for name, property := range value {
					properties[name] = s.edited(property.(object))
				}
				edited[key] = properties
				continue
			}
			if key == "items" || key == "additionalProperties" {
				edited[key] = s.edited(value)
				continue
			}
			edited[key] = value
		default:
			edited[key] = value
		}
	}
	if !s.chance(25) {
		return edited
	}
	switch edited["type"] {
	case "object":
		edited["x-kubernetes-map-type"] = pick(s.Rand, "atomic", "granular")
	case "array":
		if edited["x-kubernetes-list-type"] == "atomic" || edited["x-kubernetes-list-type"] == nil {
			break
		}
		edited["x-kubernetes-list-type"] = "atomic"
		delete(edited, "x-kubernetes-list-map-keys")
	}
	return edited
}
