package main

import (
	"math/rand"
	"sort"
)

// values generates random values of schemas, some with mistakes.
type values struct {
	*rand.Rand
	// Probability of a mistake, in thousandths.
	wrong int
	// Probability of each property, in percent.
	full int
}

func (v values) chance(percent int) bool { return v.Intn(100) < percent }

func (v values) mistake() bool { return v.Intn(1000) < v.wrong }

func (v values) of(schema object) any {
	if v.mistake() {
		return v.anything(2)
	}
	if (v.Intn(1000) < 15 || schema["nullable"] == true && v.chance(20)) && !isNullList(schema) {
		return nil
	}
	switch schema["type"] {
	case "string":
		return v.text()
	case "integer":
		return int64(v.Intn(3))
	case "number":
		return pick[any](v.Rand, 0.5, 1.5, int64(1), 1e21, 1e-7)
	case "boolean":
		return v.chance(50)
	case "array":
		return v.list(schema)
	case "object":
		return v.object(schema)
	}
	if schema["x-kubernetes-int-or-string"] == true {
		return pick[any](v.Rand, int64(1), "1", "50%", int64(7))
	}
	return v.anything(3)
}

// isNullList returns whether null is left out for a schema, with -extract: a manager that has applied
// null for a list owns its path also after others have added items.
func isNullList(schema object) bool {
	return *extract && schema["type"] == "array"
}

func (v values) text() string {
	if v.chance(3) {
		return pick(v.Rand, "", "<a&b>", "q\"\\", "ä\u2028\u0001\n", "x y", "\u007f\b")
	}
	return pick(v.Rand, "x", "y", "z", "w")
}

func (v values) anything(depth int) any {
	switch v.Intn(9) {
	case 0:
		return nil
	case 1:
		return v.text()
	case 2:
		return int64(v.Intn(3))
	case 3:
		return pick(v.Rand, 1.5, 1e21, 123456789.25)
	case 4:
		return v.chance(50)
	case 5:
		if depth == 0 {
			return []any{}
		}
		list := []any{}
		for range v.Intn(3) {
			list = append(list, v.anything(depth-1))
		}
		return list
	default:
		members := object{}
		if depth > 0 {
			for range v.Intn(4) {
				members[pick(v.Rand, "a", "b", "c", "k/1")] = v.anything(depth - 1)
			}
		}
		return members
	}
}

func (v values) object(schema object) any {
	members := object{}
	properties, _ := schema["properties"].(object)
	names := sortedNames(properties)
	// Fewer properties of large structs, which Kubernetes' own kinds have.
	full := v.full
	if len(names) > 12 {
		full = 400 / len(names)
	}
	for _, name := range names {
		if v.chance(full) {
			members[name] = v.of(properties[name].(object))
		}
	}
	if entries, ok := schema["additionalProperties"].(object); ok {
		for _, name := range []string{"a", "b", "k/1", "K"} {
			if v.chance(40) {
				members[name] = v.of(entries)
			}
		}
	}
	if schema["x-kubernetes-preserve-unknown-fields"] == true {
		for _, name := range []string{"u", "w"} {
			if v.chance(30) {
				members[name] = v.anything(2)
			}
		}
	} else if v.mistake() {
		members["zzz"] = v.anything(1)
	}
	if schema["x-kubernetes-embedded-resource"] == true {
		members["apiVersion"], members["kind"] = "v1", pick(v.Rand, "ConfigMap", "Secret")
		if v.chance(60) {
			members["metadata"] = object{"name": v.text(), "labels": object{v.text(): v.text()}}
		}
	}
	return members
}

func (v values) list(schema object) any {
	items := schema["items"].(object)
	list := []any{}
	if schema["x-kubernetes-list-type"] == "map" {
		for _, name := range v.Perm(4)[:v.Intn(4)] {
			item := v.item(schema, []string{"x", "y", "z", "w"}[name])
			list = append(list, item)
			if v.mistake() {
				list = append(list, item)
			}
		}
		return list
	}
	seen := map[any]bool{}
	for range v.Intn(4) {
		item := v.of(items)
		if schema["x-kubernetes-list-type"] == "set" && !v.mistake() {
			switch item.(type) {
			case nil, object, []any:
				continue
			}
			if seen[item] {
				continue
			}
			seen[item] = true
		}
		list = append(list, item)
	}
	return list
}

// item returns an item of a list with keys; name is the value of its string key.
func (v values) item(list object, name string) any {
	schema := list["items"].(object)
	keys, _ := list["x-kubernetes-list-map-keys"].([]any)
	properties, _ := schema["properties"].(object)
	item, ok := v.of(schema).(object)
	if !ok {
		if v.mistake() {
			return v.anything(1)
		}
		item = object{}
	}
	bare := v.mistake()
	for at, key := range keys {
		key := key.(string)
		property, _ := properties[key].(object)
		// The API server sets defaults, the field managers alone do not.
		if bare || property["default"] != nil && !*extract && v.chance(30) {
			delete(item, key)
			continue
		}
		switch {
		case property["type"] == "integer":
			item[key] = pick(v.Rand, int64(80), int64(80), int64(8080))
		case at == 0 || len(keys) == 2:
			item[key] = name
		default:
			item[key] = pick(v.Rand, "TCP", "UDP")
		}
	}
	return item
}

// edited returns a value with some of its parts changed.
func (v values) edited(value any, schema object) any {
	if schema == nil {
		return value
	}
	if v.chance(25) {
		return v.of(schema)
	}
	switch value := value.(type) {
	case object:
		properties, _ := schema["properties"].(object)
		entries, _ := schema["additionalProperties"].(object)
		edited := object{}
		for _, name := range sortedNames(value) {
			member := value[name]
			below, declared := properties[name].(object)
			if !declared {
				below = entries
			}
			if v.chance(85) {
				edited[name] = v.edited(member, below)
			}
		}
		for _, name := range sortedNames(properties) {
			property := properties[name]
			if _, there := edited[name]; !there && v.chance(15) {
				edited[name] = v.of(property.(object))
			}
		}
		return edited
	case []any:
		if schema["type"] != "array" {
			return value
		}
		edited := []any{}
		for _, item := range value {
			if schema["x-kubernetes-list-type"] == "map" {
				if item, ok := item.(object); ok && v.chance(80) {
					fresh := v.item(schema, "x")
					if fresh, ok := fresh.(object); ok && fresh != nil {
						keys, _ := schema["x-kubernetes-list-map-keys"].([]any)
						for _, key := range keys {
							if value, there := item[key.(string)]; there {
								fresh[key.(string)] = value
							}
						}
					}
					if v.chance(50) {
						fresh = item
					}
					edited = append(edited, fresh)
				}
				continue
			}
			if v.chance(75) {
				edited = append(edited, item)
			}
		}
		if v.chance(30) {
			v.Shuffle(len(edited), func(i, j int) { edited[i], edited[j] = edited[j], edited[i] })
		}
		if more, ok := v.list(schema).([]any); ok && v.chance(30) {
			edited = append(edited, more...)
		}
		return edited
	}
	return value
}

func sortedNames(members object) []string {
	names := make([]string, 0, len(members))
	for name := range members {
		names = append(names, name)
	}
	sort.Strings(names)
	return names
}
