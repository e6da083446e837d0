package main

import (
	"math/rand"
	"sort"
	"strings"
)

// Random generates definitions, and mistakes in them.
type Random struct{ *rand.Rand }

type object = map[string]any
type list = []any

func (r Random) chance(percent int) bool { return r.Intn(100) < percent }

func pick[T any](r Random, choices ...T) T { return choices[r.Intn(len(choices))] }

func (r Random) definition() object {
	versions := list{}
	count := pick(r, 1, 1, 1, 2, 3)
	same := r.version("v1")
	for i := 0; i < count; i++ {
		name := []string{"v1", "v1beta1", "v2"}[i]
		version := r.version(name)
		if r.chance(40) {
			version = clone(same).(object)
			version["name"] = name
		}
		version["storage"] = i == 0
		versions = append(versions, version)
	}
	spec := object{
		"group":    "example.com",
		"names":    object{"plural": "widgets", "kind": "Widget"},
		"scope":    pick(r, "Namespaced", "Cluster"),
		"versions": versions,
	}
	if r.chance(30) {
		spec["names"].(object)["shortNames"] = list{"w", "wd"}
	}
	if r.chance(20) {
		spec["names"].(object)["categories"] = list{"all"}
	}
	if r.chance(15) {
		spec["conversion"] = object{"strategy": "Webhook", "webhook": object{
			"conversionReviewVersions": list{"v1"},
			"clientConfig":             object{"service": object{"name": "n", "namespace": "s", "path": "/c"}},
		}}
	}
	return object{
		"apiVersion": "apiextensions.k8s.io/v1",
		"kind":       "CustomResourceDefinition",
		"metadata":   object{"name": "widgets.example.com"},
		"spec":       spec,
	}
}

func (r Random) version(name string) object {
	root := object{"type": "object", "properties": object{"spec": r.object(2)}}
	if r.chance(50) {
		root["properties"].(object)["status"] = r.object(1)
	}
	if r.chance(30) {
		root["properties"].(object)["metadata"] = object{"type": "object"}
		root["properties"].(object)["kind"] = object{"type": "string"}
		root["properties"].(object)["apiVersion"] = object{"type": "string"}
	}
	version := object{"name": name, "served": true, "schema": object{"openAPIV3Schema": root}}
	subresources := object{}
	if r.chance(40) {
		subresources["status"] = object{}
	}
	if r.chance(20) {
		subresources["scale"] = object{"specReplicasPath": ".spec.a", "statusReplicasPath": ".status.b"}
	}
	if len(subresources) > 0 {
		version["subresources"] = subresources
	}
	if r.chance(25) {
		version["additionalPrinterColumns"] = list{object{"name": "A", "type": "string", "jsonPath": ".spec.a"}}
	}
	if r.chance(20) {
		version["selectableFields"] = list{object{"jsonPath": ".spec." + pick(r, "a", "b", "c")}}
	}
	return version
}

var names = []string{"a", "b", "c", "d"}

func (r Random) schema(depth int) object {
	if depth == 0 || r.chance(40) {
		return r.scalar()
	}
	switch r.Intn(4) {
	case 0:
		return object{"type": "object", "additionalProperties": r.schema(depth - 1)}
	case 1:
		return r.list(depth)
	}
	return r.object(depth)
}

func (r Random) scalar() object {
	out := object{"type": pick(r, "string", "integer", "number", "boolean", "string")}
	switch out["type"] {
	case "string":
		if r.chance(30) {
			out["maxLength"] = 10
		}
		if r.chance(15) {
			out["pattern"] = "^[a-z]+$"
		}
		if r.chance(15) {
			out["format"] = pick(r, "date", "uuid", "ipv4", "date-time")
		}
		if r.chance(15) {
			out["default"] = "x"
		}
		if r.chance(10) {
			out["enum"] = list{"x", "y"}
		}
	case "integer":
		if r.chance(30) {
			out["minimum"] = 1
		}
		if r.chance(15) {
			out["default"] = 3
		}
	}
	if r.chance(5) {
		delete(out, "type")
		for name := range out {
			delete(out, name)
		}
		if r.chance(50) {
			out["x-kubernetes-int-or-string"] = true
		} else {
			out["x-kubernetes-preserve-unknown-fields"] = true
		}
	}
	return out
}

func (r Random) object(depth int) object {
	properties := object{}
	for i := 0; i < 1+r.Intn(3); i++ {
		properties[pick(r, names...)] = r.schema(depth - 1)
	}
	out := object{"type": "object", "properties": properties}
	if r.chance(15) {
		for name := range properties {
			out["anyOf"] = list{object{"required": list{name}}}
		}
	}
	if r.chance(8) {
		out["x-kubernetes-embedded-resource"] = true
		if r.chance(50) {
			properties["metadata"] = object{"type": "object", "properties": object{"name": object{"type": "string", "default": "n"}}}
		}
	}
	if r.chance(8) {
		out["default"] = object{}
	}
	if r.chance(8) {
		out["x-kubernetes-map-type"] = "atomic"
	}
	if r.chance(10) {
		out["x-kubernetes-validations"] = list{object{"rule": pick(r, "true", "size(self) < 3 || true", "!has(self.a) || self.a == self.a")}}
	}
	return out
}

func (r Random) list(depth int) object {
	out := object{"type": "array", "items": r.schema(depth - 1)}
	if r.chance(40) {
		out["maxItems"] = 5
	}
	items := out["items"].(object)
	switch {
	case items["type"] == "object" && items["properties"] != nil && r.chance(50):
		items["properties"].(object)["a"] = object{"type": "string"}
		items["required"] = list{"a"}
		out["x-kubernetes-list-type"] = "map"
		out["x-kubernetes-list-map-keys"] = list{"a"}
	case items["type"] == "string" && r.chance(40):
		out["x-kubernetes-list-type"] = "set"
	}
	return out
}

// schemas returns all schemas below a value, in a fixed order.
func schemas(value any, found []object) []object {
	switch value := value.(type) {
	case object:
		_, isSchema := value["type"].(string)
		if isSchema || value["x-kubernetes-int-or-string"] != nil || value["x-kubernetes-preserve-unknown-fields"] != nil {
			found = append(found, value)
		}
		sorted := []string{}
		for name := range value {
			sorted = append(sorted, name)
		}
		sort.Strings(sorted)
		for _, name := range sorted {
			found = schemas(value[name], found)
		}
	case list:
		for _, item := range value {
			found = schemas(item, found)
		}
	}
	return found
}

func (r Random) mistake(definition object) {
	spec := definition["spec"].(object)
	versions, _ := spec["versions"].(list)
	if len(versions) == 0 || r.chance(25) {
		r.wrongSpec(definition, spec)
		return
	}
	version := pick(r, versions...).(object)
	if r.chance(20) {
		r.wrongVersion(version)
		return
	}
	schema, ok := version["schema"].(object)
	if !ok {
		return
	}
	root, ok := schema["openAPIV3Schema"].(object)
	if !ok {
		return
	}
	all := schemas(root, nil)
	if r.chance(12) || len(all) == 0 {
		r.wrongSchema(root)
		return
	}
	r.wrongSchema(pick(r, all...))
}

func (r Random) wrongSpec(definition, spec object) {
	names, _ := spec["names"].(object)
	if names == nil {
		names = object{}
	}
	versions, _ := spec["versions"].(list)
	switch r.Intn(22) {
	case 0:
		spec["group"] = pick(r, "", "Example.com", "example", "x.k8s.io", "a_b.c")
	case 1:
		spec["scope"] = pick(r, "", "Global")
	case 2:
		names["plural"] = pick(r, "", "Widgets", "wid.gets", "gadgets")
	case 3:
		names["kind"] = pick(r, "", "widget", "Wid-get", "Wid_get", "9Widget")
	case 4:
		names["listKind"] = pick(r, "Widget", "Widgets", "a b")
	case 5:
		names["singular"] = pick(r, "Widget", "w.x", "widget")
	case 6:
		names["shortNames"] = list{"W", "w", "w"}
	case 7:
		names["categories"] = list{"All", ""}
	case 8:
		definition["metadata"] = object{"name": pick(r, "widgets.example.org", "", "Widgets.example.com"), "labels": object{"a b": "c d"}}
	case 9:
		spec["versions"] = pick[any](r, list{}, nil)
	case 10:
		for _, version := range versions {
			version.(object)["storage"] = r.chance(50)
		}
	case 11:
		for _, version := range versions {
			version.(object)["name"] = pick(r, "v1", "v2")
		}
	case 12:
		spec["conversion"] = pick[any](r, object{"strategy": ""}, object{"strategy": "Other"}, object{"strategy": "Webhook"},
			object{"strategy": "None", "webhook": object{"clientConfig": object{"url": "https://x"}, "conversionReviewVersions": list{"v1"}}})
	case 13, 14:
		url := pick(r, "https://x.y/z", "http://x.y", "https:///z", "https://u@x/z", "https://x/z#f", "https://x/z?q=1", "x", "")
		spec["conversion"] = object{"strategy": "Webhook", "webhook": object{
			"conversionReviewVersions": pick[any](r, list{"v1"}, list{"v3"}, list{"v1", "v1"}, list{"V1"}, list{}, nil),
			"clientConfig":             object{"url": url},
		}}
	case 15:
		service := object{"name": pick(r, "", "n"), "namespace": pick(r, "", "s"), "port": pick[any](r, nil, 0, 70000, 443),
			"path": pick[any](r, nil, "", "/", "//", "a", "/a//b", "/A/", "/a/b/")}
		client := object{"service": service}
		if r.chance(20) {
			client["url"] = "https://x"
		}
		if r.chance(20) {
			client["caBundle"] = "eA=="
		}
		spec["conversion"] = object{"strategy": "Webhook", "webhook": object{"conversionReviewVersions": list{"v1beta1"}, "clientConfig": client}}
	case 16:
		spec["preserveUnknownFields"] = true
	case 17:
		metadata, _ := definition["metadata"].(object)
		metadata["annotations"] = object{"api-approved.kubernetes.io": pick(r, "", "https://github.com/x/y", "unapproved, x", "yes", "http://", "/a")}
		spec["group"] = pick(r, "k8s.io", "x.kubernetes.io", "x.k8s.io", "notk8s.io")
		if r.chance(70) {
			metadata["name"] = "widgets." + spec["group"].(string)
		}
	case 18:
		delete(spec, "names")
	case 19:
		definition["metadata"].(object)["finalizers"] = list{"a b"}
	case 20:
		definition["metadata"].(object)["generateName"] = pick(r, "x-", "widgets.example.com")
	case 21:
		definition["metadata"].(object)["namespace"] = "x"
	}
}

func (r Random) wrongVersion(version object) {
	switch r.Intn(16) {
	case 0:
		version["name"] = pick(r, "V1", "", "v1.0", "1")
	case 1:
		delete(version, "schema")
	case 2:
		version["schema"] = object{}
	case 3:
		version["deprecationWarning"] = pick(r, "x", "", strings.Repeat("w", 300), "a\nb", "é\u200b")
		version["deprecated"] = r.chance(60)
	case 4, 5:
		version["additionalPrinterColumns"] = list{object{
			"name": pick(r, "", "A"), "type": pick(r, "", "string", "int", "date"), "format": pick(r, "", "x", "date"),
			"jsonPath": pick(r, "", "spec.a", ".spec.a", "."), "priority": r.Intn(2)}}
	case 6, 7:
		version["subresources"] = object{"status": object{}, "scale": object{
			"specReplicasPath":   pick(r, "", "spec.a", ".status.a", ".spec.a", ".spec"),
			"statusReplicasPath": pick(r, "", "status.a", ".spec.a", ".status.a"),
			"labelSelectorPath":  pick[any](r, nil, "", "x", ".metadata.x", ".status.s")}}
	case 8:
		version["subresources"] = object{"status": object{}}
	case 9, 10, 11, 12:
		fields := list{}
		for i := 0; i < pick(r, 1, 2, 3, 10); i++ {
			fields = append(fields, object{"jsonPath": pick(r, ".spec.a", ".spec.b", ".spec.c.d", "", "spec.a", ".metadata.name", ".spec['a']", ".spec", ".", ".spec.",
				".spec.a.b", ".status.a", "..a", ".spec.d", ".spec.a.c", ".spec.b.a", ".kind")})
		}
		version["selectableFields"] = fields
	case 13:
		version["served"] = false
	case 14:
		version["schema"] = object{"openAPIV3Schema": object{"type": "object", "x-kubernetes-preserve-unknown-fields": true}}
	case 15:
		version["schema"] = object{"openAPIV3Schema": object{}}
	}
}

func (r Random) value() any {
	return pick[any](r, nil, "x", 3, 1.5, true, list{}, list{"x", 3}, object{}, object{"a": "x"}, object{"q": 1, "a": object{"b": 2}}, "",
		object{"apiVersion": "v1", "kind": "Pod", "metadata": object{"name": "a b", "labels": object{"x": "y z"}}}, object{"metadata": 3}, list{object{"a": "x"}}, -3, "yy")
}

func (r Random) wrongSchema(schema object) {
	branch := func() object {
		out := object{}
		for i := 0; i < 1+r.Intn(2); i++ {
			switch r.Intn(18) {
			case 0:
				out["type"] = pick(r, "integer", "string", "object")
			case 1:
				out["properties"] = object{pick(r, "a", "b", "metadata", "z"): object{pick(r, "minLength", "minimum"): 1}}
			case 2:
				out["items"] = object{"minLength": 1}
			case 3:
				out["default"] = r.value()
			case 4:
				out["description"] = "d"
			case 5:
				out["nullable"] = true
			case 6:
				out["additionalProperties"] = pick[any](r, true, false, object{})
			case 7:
				out["x-kubernetes-validations"] = list{object{"rule": "true"}}
			case 8:
				out["x-kubernetes-int-or-string"] = true
			case 9:
				out["x-kubernetes-list-type"] = "set"
			case 10:
				out["not"] = object{"required": list{"a"}}
			case 11:
				out["required"] = list{"a"}
			case 12:
				out["anyOf"] = list{object{"type": "integer"}, object{"type": "string"}}
			case 13:
				out["pattern"] = pick(r, "x", "(")
			case 14:
				out["title"] = "t"
			case 15:
				out["x-kubernetes-preserve-unknown-fields"] = true
			case 16:
				out["x-kubernetes-embedded-resource"] = true
			case 17:
				out["x-kubernetes-map-type"] = "atomic"
			}
		}
		return out
	}
	switch r.Intn(48) {
	case 0:
		delete(schema, "type")
	case 1:
		schema["type"] = pick(r, "object", "array", "string", "integer", "null", "foo", "")
	case 2:
		schema["type"] = "array"
		delete(schema, "items")
	case 3:
		schema["items"] = pick[any](r, object{"type": "string"}, object{}, list{object{"type": "string"}})
	case 4:
		schema["additionalProperties"] = pick[any](r, true, false, object{"type": "string"}, object{})
	case 5, 6, 7, 8:
		schema["default"] = r.value()
	case 9:
		schema["nullable"] = true
	case 10, 11, 12, 13:
		keyword := pick(r, "allOf", "anyOf", "oneOf")
		schema[keyword] = list{branch(), branch()}
	case 14:
		schema["not"] = branch()
	case 15:
		schema["pattern"] = pick(r, "(", "[a", "a**", "^x$")
	case 16:
		schema["uniqueItems"] = true
	case 17:
		schema["x-kubernetes-preserve-unknown-fields"] = r.chance(50)
	case 18:
		schema["x-kubernetes-embedded-resource"] = true
	case 19:
		schema["x-kubernetes-int-or-string"] = true
	case 20:
		schema["x-kubernetes-list-type"] = pick(r, "set", "map", "atomic", "x")
	case 21:
		schema["x-kubernetes-map-type"] = pick(r, "atomic", "granular", "set")
	case 22:
		schema["x-kubernetes-list-map-keys"] = pick(r, list{"a"}, list{"a", "a"}, list{"z"}, list{"a", "b"})
	case 23:
		schema["type"] = "array"
		schema["x-kubernetes-list-type"] = "map"
		schema["x-kubernetes-list-map-keys"] = list{"a", pick(r, "b", "c", "a")}
		items := r.object(1)
		if r.chance(30) {
			items["nullable"] = true
		}
		if r.chance(30) {
			items["properties"].(object)["a"] = object{"type": "string", "nullable": true, "default": "x"}
		}
		schema["items"] = items
	case 24:
		schema["type"] = "array"
		schema["x-kubernetes-list-type"] = "set"
		schema["items"] = pick(r, r.object(1), r.list(1), object{"type": "string", "nullable": true})
	case 25:
		schema["$ref"] = pick(r, "#/x", "")
	case 26:
		schema["id"] = "x"
	case 27:
		schema["patternProperties"] = object{"a": object{"type": "string"}}
	case 28:
		schema["definitions"] = object{"a": object{"type": "foo"}}
	case 29:
		schema["dependencies"] = pick(r, object{"a": object{"type": "string"}}, object{"a": list{"b"}}, object{})
	case 30:
		schema["additionalItems"] = pick[any](r, true, object{"type": "string"})
	case 31:
		schema["$schema"] = "x"
	case 32:
		schema["minProperties"] = 1
	case 33:
		schema["format"] = pick(r, "uint8", "int32", "date", "k8s-short-name", "foo", "date-time")
	case 34:
		schema["metadata"] = 1
		schema["externalDocs"] = object{"url": "u"}
		schema["example"] = r.value()
	case 35:
		if properties, ok := schema["properties"].(object); ok {
			properties["metadata"] = pick(r, object{"type": "object"}, object{"type": "string"},
				object{"type": "object", "description": "d"}, object{"type": "object", "properties": object{"name": object{"type": "string"}}},
				object{"type": "object", "properties": object{"labels": object{"type": "object"}}},
				object{"type": "object", "default": object{}}, object{"type": "object", "properties": object{"labels": object{"type": "object",
					"additionalProperties": object{"type": "string", "default": "x"}}}},
				object{"type": "object", "x-kubernetes-embedded-resource": true})
		}
	case 36:
		if properties, ok := schema["properties"].(object); ok {
			properties[pick(r, "kind", "apiVersion")] = object{"type": pick(r, "string", "integer"), "default": "x"}
		}
	case 37:
		schema["enum"] = list{"x", 3, nil}
	case 38:
		schema["maxProperties"] = 2
		schema["required"] = list{"a"}
	case 39, 40, 41, 42, 43, 44:
		r.wrongRule(schema)
	case 45:
		schema["type"] = "object"
		schema["x-kubernetes-embedded-resource"] = true
		schema["properties"] = object{"metadata": object{"type": "object", "properties": object{
			"name":   object{"type": "string", "default": pick[any](r, "a b", "ok", 3, "x/y")},
			"labels": object{"type": "object", "default": pick[any](r, object{"a": "b c"}, object{"a": "b"}, object{"a b": "c"}, object{"a": 3}, 3)},
			"foo":    object{"type": "string", "default": "x"}}}}
	case 46:
		if properties, ok := schema["properties"].(object); ok {
			delete(properties, pick(r, "a", "b"))
		}
	case 47:
		schema["description"] = "d"
		schema["title"] = "t"
	}
}

func (r Random) wrongRule(schema object) {
	rule := object{"rule": pick(r, "true", "self.z == 1", "1", "", " ", "self == oldSelf", "true &&", "has(self.a)", "self.all(x, self.all(y, x == y))",
		"true\n|| false", "oldSelf == self || true", "self.exists(x, x.contains('abc'))", "self.matches('^a+$')", "size(self) > 3", "self.a == self.b",
		"self.map(x, self.map(y, [x, y])).size() > 1", "self.a.matches('a')", "'x' in self", "self.metadata.name == 'x'", "oldSelf.hasValue()")}
	if r.chance(25) {
		rule["message"] = pick(r, "the message", "", " ", "a\nb")
	}
	if r.chance(25) {
		rule["messageExpression"] = pick(r, "'the message'", "1", "", " ", "self.z", "'the message' + 'b'")
	}
	if r.chance(15) {
		rule["reason"] = pick(r, "FieldValueInvalid", "Nope", "FieldValueRequired")
	}
	if r.chance(25) {
		rule["fieldPath"] = pick(r, ".a", ".z", "a", "", " ", ".a\n", ".a['b']", "['a']", ".a.b", ".a[", ".b.a", "[a]", ".")
	}
	if r.chance(25) {
		rule["optionalOldSelf"] = r.chance(50)
	}
	rules, _ := schema["x-kubernetes-validations"].(list)
	schema["x-kubernetes-validations"] = append(rules, rule)
}

// stored adds the metadata and status of a stored definition.
func (r Random) stored(definition object) {
	definition["metadata"].(object)["resourceVersion"] = "1"
	definition["metadata"].(object)["uid"] = "u"
	status := object{"storedVersions": pick(r, list{"v1"}, list{"v1", "v0"}, list{"v2"}), "acceptedNames": object{"plural": pick(r, "widgets", "Widgets"), "kind": "Widget"},
		"conditions": list{object{"type": "Established", "status": pick(r, "True", "False"), "lastTransitionTime": nil, "reason": "x", "message": ""}}}
	if r.chance(80) {
		status["storedVersions"] = list{"v1"}
		status["acceptedNames"] = object{"plural": "widgets", "kind": "Widget"}
	}
	definition["status"] = status
}

func (r Random) changed(definition object) {
	metadata, _ := definition["metadata"].(object)
	if r.chance(95) {
		metadata["resourceVersion"] = "1"
	}
	metadata["uid"] = "u"
	spec := definition["spec"].(object)
	if r.chance(10) {
		spec["scope"] = pick(r, "Namespaced", "Cluster")
	}
	if r.chance(5) {
		spec["group"] = "example.org"
	}
}

func clone(value any) any {
	switch value := value.(type) {
	case object:
		out := object{}
		for name, member := range value {
			out[name] = clone(member)
		}
		return out
	case list:
		out := make(list, len(value))
		for at, item := range value {
			out[at] = clone(item)
		}
		return out
	}
	return value
}
