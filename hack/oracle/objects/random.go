package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math/rand"
	"sort"
	"strings"
)

// Random generates schemas, and values with or without mistakes.
type Random struct{ *rand.Rand }

type object = map[string]any

func (r Random) chance(percent int) bool { return r.Intn(100) < percent }

func pick[T any](r Random, choices ...T) T { return choices[r.Intn(len(choices))] }

var names = []string{"a", "b", "c", "d", "e"}

func (r Random) schema(depth int) object {
	if depth == 0 {
		return r.scalar()
	}
	switch r.Intn(10) {
	case 0, 1, 2, 3:
		return r.object(depth)
	case 4, 5, 6:
		return r.list(depth)
	case 7:
		return r.values(depth)
	default:
		return r.scalar()
	}
}

func (r Random) scalar() object {
	out := object{}
	switch r.Intn(9) {
	case 0, 1:
		out["type"] = "integer"
		r.bounds(out)
		if r.chance(25) {
			out["format"] = pick(r, "int32", "int64", "uint8")
		}
	case 2:
		out["type"] = "number"
		r.bounds(out)
		if r.chance(25) {
			out["format"] = pick(r, "float", "double", "x")
		}
	case 3:
		out["type"] = "boolean"
	case 4:
		out["x-kubernetes-int-or-string"] = true
		if r.chance(30) {
			out["anyOf"] = []any{object{"type": "integer"}, object{"type": "string"}}
		}
	case 5:
		if r.chance(50) {
			out["x-kubernetes-preserve-unknown-fields"] = true
			break
		}
		fallthrough
	default:
		out["type"] = "string"
		r.text(out)
		if r.chance(20) {
			out["format"] = pick(r, "date-time", "date", "uuid", "ipv4", "duration", "byte", "email", "hostname",
				"k8s-short-name", "int32", "password", "cidr", "uri", "mac", "unknown")
		}
	}
	if r.chance(10) {
		out["nullable"] = true
	}
	if r.chance(12) {
		r.enum(out)
	}
	if r.chance(10) {
		r.branches(out, func() object {
			inner := object{}
			switch out["type"] {
			case "integer", "number":
				r.bounds(inner)
			default:
				r.text(inner)
			}
			if r.chance(30) {
				r.enum(inner)
			}
			if r.chance(10) {
				inner["format"] = pick(r, "date", "ipv4")
			}
			return inner
		})
	}
	if r.chance(15) {
		out["default"] = r.value(out, 0)
		if out["default"] == nil {
			delete(out, "default")
		}
	}
	return out
}

func (r Random) enum(out object) {
	var list []any
	for i := 0; i < 1+r.Intn(3); i++ {
		var one any
		switch r.Intn(6) {
		case 0:
			one = int64(r.Intn(5))
		case 1:
			one = pick[any](r, 1.5, 2.5, true, nil)
		default:
			one = pick(r, "x", "yy", "zzz", "a")
		}
		if out["type"] == "integer" && r.chance(80) {
			one = int64(r.Intn(5))
		}
		list = append(list, one)
	}
	out["enum"] = list
}

func (r Random) bounds(out object) {
	bound := func() any { return pick[any](r, int64(1), int64(2), int64(3), int64(10), 1.5, 2.5, -1.5, int64(-3)) }
	if r.chance(25) {
		out["minimum"] = bound()
		if r.chance(30) {
			out["exclusiveMinimum"] = true
		}
	}
	if r.chance(25) {
		out["maximum"] = bound()
		if r.chance(30) {
			out["exclusiveMaximum"] = true
		}
	}
	if r.chance(12) {
		out["multipleOf"] = pick[any](r, int64(2), int64(3), 0.5, 1.5, 0.1, int64(0))
	}
}

func (r Random) text(out object) {
	if r.chance(20) {
		out["minLength"] = int64(r.Intn(4))
	}
	if r.chance(20) {
		out["maxLength"] = int64(r.Intn(5))
	}
	if r.chance(15) {
		out["pattern"] = pick(r, "^[a-z]+$", "x", `^\d{2}$`, "")
	}
}

func (r Random) branches(out object, make func() object) {
	kind := pick(r, "anyOf", "oneOf", "allOf", "not")
	if kind == "not" {
		out["not"] = make()
		return
	}
	var list []any
	for i := 0; i < 1+r.Intn(3); i++ {
		list = append(list, make())
	}
	out[kind] = list
}

func (r Random) properties(depth int) object {
	out := object{}
	for i := 0; i < 1+r.Intn(4); i++ {
		out[pick(r, names...)] = r.schema(depth - 1)
	}
	return out
}

func (r Random) object(depth int) object {
	out := object{"type": "object", "properties": r.properties(depth)}
	properties := out["properties"].(object)
	if r.chance(20) {
		out["required"] = []any{pick(r, names...)}
	}
	if r.chance(8) {
		out["minProperties"] = int64(r.Intn(4))
	}
	if r.chance(8) {
		out["maxProperties"] = int64(r.Intn(4))
	}
	if r.chance(10) {
		out["nullable"] = true
	}
	if r.chance(10) {
		out["x-kubernetes-preserve-unknown-fields"] = true
	}
	if r.chance(8) {
		out["x-kubernetes-map-type"] = pick(r, "atomic", "granular")
	}
	if r.chance(12) {
		out["x-kubernetes-embedded-resource"] = true
		if r.chance(40) {
			delete(out, "properties")
			out["x-kubernetes-preserve-unknown-fields"] = true
		}
	}
	if r.chance(4) {
		out["additionalProperties"] = true
	}
	if r.chance(20) {
		known := []string{}
		for name := range properties {
			known = append(known, name)
		}
		sort.Strings(known)
		if _, ok := out["properties"]; ok {
			r.branches(out, func() object { return r.branch(known, properties) })
		}
	}
	if r.chance(10) {
		out["default"] = r.value(out, 0)
		if out["default"] == nil {
			delete(out, "default")
		}
	}
	return out
}

func (r Random) branch(known []string, properties object) object {
	inner := object{}
	if r.chance(60) {
		inner["required"] = []any{pick(r, known...)}
	}
	if r.chance(60) {
		name := pick(r, known...)
		of := object{}
		declared := properties[name].(object)
		switch declared["type"] {
		case "integer", "number":
			r.bounds(of)
		case "object":
			if r.chance(50) {
				of["minProperties"] = int64(1)
			} else {
				of["required"] = []any{pick(r, names...)}
			}
		case "array":
			of["minItems"] = int64(r.Intn(3))
			if items, ok := declared["items"].(object); ok && items["type"] == "string" && r.chance(50) {
				sub := object{}
				r.text(sub)
				of["items"] = sub
			}
		default:
			r.text(of)
			if r.chance(50) {
				r.enum(of)
			}
		}
		inner["properties"] = object{name: of}
	}
	if r.chance(15) {
		inner["not"] = object{"required": []any{pick(r, known...)}}
	}
	if r.chance(10) {
		inner["maxProperties"] = int64(r.Intn(3))
	}
	return inner
}

func (r Random) list(depth int) object {
	out := object{"type": "array", "items": r.schema(depth - 1)}
	items := out["items"].(object)
	if r.chance(15) {
		out["minItems"] = int64(r.Intn(3))
	}
	if r.chance(15) {
		out["maxItems"] = int64(r.Intn(4))
	}
	if r.chance(8) {
		out["nullable"] = true
	}
	switch r.Intn(4) {
	case 0:
		out["x-kubernetes-list-type"] = "set"
	case 1, 2:
		if items["type"] == "object" && items["properties"] != nil {
			out["x-kubernetes-list-type"] = "map"
			keys := []any{}
			properties := items["properties"].(object)
			for _, name := range names[:1+r.Intn(2)] {
				if r.chance(90) {
					property := object{"type": pick(r, "string", "integer", "string", "boolean", "number")}
					if r.chance(20) {
						property["default"] = r.value(property, 0)
						if property["default"] == nil {
							delete(property, "default")
						}
					}
					properties[name] = property
				}
				keys = append(keys, name)
			}
			out["x-kubernetes-list-map-keys"] = keys
		}
	case 3:
		if r.chance(50) {
			out["x-kubernetes-list-type"] = "atomic"
		}
	}
	if r.chance(8) {
		out["default"] = r.value(out, 0)
		if out["default"] == nil {
			delete(out, "default")
		}
	}
	return out
}

func (r Random) values(depth int) object {
	out := object{"type": "object", "additionalProperties": r.schema(depth - 1)}
	if r.chance(8) {
		out["additionalProperties"] = r.chance(60)
	}
	if r.chance(10) {
		out["maxProperties"] = int64(r.Intn(3))
	}
	if r.chance(8) {
		out["nullable"] = true
	}
	return out
}

// any returns a random value, whatever the schema.
func (r Random) any(depth int) any {
	switch n := r.Intn(10); {
	case n == 0:
		return nil
	case n == 1:
		return r.chance(50)
	case n < 4:
		return r.number()
	case n < 7 || depth == 0:
		return r.string()
	case n < 8:
		list := []any{}
		for i := 0; i < r.Intn(3); i++ {
			list = append(list, r.any(depth-1))
		}
		return list
	default:
		out := object{}
		for i := 0; i < r.Intn(3); i++ {
			out[pick(r, append(names, "q", "metadata", "apiVersion")...)] = r.any(depth - 1)
		}
		return out
	}
}

func (r Random) number() any {
	return pick[any](r, int64(0), int64(1), int64(2), int64(3), int64(-2), int64(4294967296), 1.5, 2.5, 1.0, 3.0, -0.5,
		1e21, 1234567.0, 0.00001, int64(20))
}

func (r Random) string() string {
	return pick(r, "", "x", "yy", "zzz", "abc", "a", "12", "Xx", "é", "2026-01-02T03:04:05Z", "2026-01-02", "1.2.3.4",
		"aGVsbG8=", "5m", "a<b", "long text", "10.0.0.0/8", "a@b.c", "https://x.y/z")
}

// value returns a value of a schema. Each part is invalid with a probability of wrong percent.
func (r Random) value(schema object, wrong int) any {
	if r.chance(wrong) {
		return r.any(2)
	}
	if list, ok := schema["enum"].([]any); ok && r.chance(70) {
		return pick(r, list...)
	}
	if schema["x-kubernetes-int-or-string"] == true {
		return pick[any](r, int64(3), "30%", "x", int64(-1))
	}
	switch schema["type"] {
	case "integer":
		return pick[any](r, int64(0), int64(1), int64(2), int64(3), int64(5), int64(12), int64(-4))
	case "number":
		return r.number()
	case "boolean":
		return r.chance(50)
	case "string":
		return r.string()
	case "array":
		list := []any{}
		for i := 0; i < r.Intn(4); i++ {
			list = append(list, r.value(schema["items"].(object), wrong))
		}
		return list
	case "object":
		return r.members(schema, wrong)
	}
	return r.any(2)
}

func (r Random) members(schema object, wrong int) object {
	out := object{}
	properties, _ := schema["properties"].(object)
	sorted := []string{}
	for name := range properties {
		sorted = append(sorted, name)
	}
	sort.Strings(sorted)
	for _, name := range sorted {
		if r.chance(75) {
			out[name] = r.value(properties[name].(object), wrong)
		}
	}
	switch values := schema["additionalProperties"].(type) {
	case object:
		for i := 0; i < r.Intn(3); i++ {
			out[pick(r, names...)] = r.value(values, wrong)
		}
	case bool:
		for i := 0; i < r.Intn(3); i++ {
			out[pick(r, names...)] = r.any(2)
		}
	}
	if wrong > 0 && r.chance(wrong*2) {
		out[pick(r, "q", "r")] = r.any(2)
	}
	if schema["x-kubernetes-embedded-resource"] == true {
		if r.chance(90) {
			out["apiVersion"] = pick[any](r, "v1", "a/v1", "v1", "a/v1", "", "a/b/c", int64(1))
			if wrong == 0 || r.chance(80) {
				out["apiVersion"] = "v1"
			}
		}
		if r.chance(90) {
			out["kind"] = pick[any](r, "Pod", "", "9x", "A_b")
			if wrong == 0 || r.chance(80) {
				out["kind"] = "Pod"
			}
		}
		if r.chance(70) {
			out["metadata"] = r.metadata(wrong)
		}
	}
	return out
}

var badKeys = []string{"a b", "/x", "a/b/c", "", "-x", "X.y/z", "ok", strings.Repeat("k", 64), "a/", "_/a", "x/"}

func (r Random) metadata(wrong int) any {
	out := object{}
	if wrong == 0 {
		out["name"] = "x"
		return out
	}
	bad := func() bool { return r.chance(wrong) }
	if r.chance(85) {
		out["name"] = pick(r, "x", "y.z", "abc")
		if bad() {
			out["name"] = pick[any](r, "", "A", "a_b", ".", "..", "a/b", "a%b", "-a", strings.Repeat("n", 254), int64(3), nil)
		}
	}
	if r.chance(20) {
		out["generateName"] = pick(r, "x-", "a.", "B-", "-", "a--", "é-", "aé-", "a/b-")
	}
	if r.chance(60) {
		out["namespace"] = "default"
		if bad() {
			out["namespace"] = pick[any](r, "", "A", "a.b", "a_b", true, strings.Repeat("n", 64))
		}
	}
	texts := func() any {
		texts := object{}
		for i := 0; i < r.Intn(3); i++ {
			texts[pick(r, "a", "b", "x.y/z")] = pick[any](r, "v", "", "1")
			if bad() {
				texts[pick(r, badKeys...)] = pick[any](r, "v w", "-", "ok", strings.Repeat("v", 64), int64(1), nil, object{}, []any{})
			}
		}
		return texts
	}
	for _, field := range []string{"labels", "annotations"} {
		if r.chance(30) {
			out[field] = texts()
			if bad() {
				out[field] = r.any(1)
			}
		}
	}
	if r.chance(1) {
		out["annotations"] = object{"a": strings.Repeat("x", 262144)}
	}
	if r.chance(25) {
		list := []any{}
		for i := 0; i < r.Intn(3); i++ {
			owner := object{"apiVersion": "v1", "kind": "Pod", "name": "p", "uid": pick(r, "u1", "u2")}
			if r.chance(40) {
				owner["controller"] = r.chance(70)
			}
			if r.chance(20) {
				owner["blockOwnerDeletion"] = r.chance(50)
			}
			if bad() {
				owner[pick(r, "apiVersion", "kind", "name", "uid", "controller", "foo")] = r.any(1)
			}
			if bad() {
				delete(owner, pick(r, "apiVersion", "kind", "name", "uid"))
			}
			if bad() {
				owner["kind"] = "Event"
			}
			list = append(list, owner)
			if bad() {
				list = append(list, r.any(1))
			}
		}
		out["ownerReferences"] = list
	}
	if r.chance(25) {
		list := []any{}
		for i := 0; i < r.Intn(3); i++ {
			list = append(list, pick[any](r, "x.y/z", "x.y", "kubernetes", "a", "b/c", "orphan", "foregroundDeletion"))
			if bad() {
				list = append(list, pick[any](r, "a b", "", int64(1), nil, "orphan", "foregroundDeletion", "q\"r"))
			}
		}
		out["finalizers"] = list
	}
	if r.chance(20) {
		out["creationTimestamp"] = pick[any](r, "2026-01-02T03:04:05Z", "2026-01-02T03:04:05.7+01:00", nil)
		if bad() {
			out["creationTimestamp"] = pick[any](r, "x", "", "2026-01-02", int64(5), "2026-13-02T03:04:05Z", "2026-02-30T03:04:05Z",
				"2026-01-02T25:04:05Z", "2026-01-02T03:04:05", "2026-01-02T03:04:05+25:00", "2026-01-02T3:04:05Z", "0001-01-01T00:00:00Z",
				"2026-01-02T03:60:05Z", "2026-01-02T03:04:5Z", "2026-01-02t03:04:05z", "2026-01-02T03:04:05Zx", []any{}, object{},
				"2026-01-00T03:04:05Z", "2026-1-02T03:04:05Z", "2026-01-02T03:04:05+01-00", "2026-01-02T03:04:05*01:00", "2026-01-02T03:04:05+0a:00", "日本")
		}
	}
	if r.chance(12) {
		out["deletionTimestamp"] = pick[any](r, "2026-01-02T03:04:05Z", "2027-01-02T03:04:05Z", nil)
	}
	if r.chance(10) {
		out["deletionGracePeriodSeconds"] = pick[any](r, int64(0), int64(30), 1.5, nil, "x", 3.0)
	}
	if r.chance(30) {
		out["generation"] = pick[any](r, int64(0), int64(1), int64(2), int64(-1))
		if bad() {
			out["generation"] = pick[any](r, 1.5, "1", 1e21, 2.0, true)
		}
	}
	if r.chance(60) {
		out["resourceVersion"] = pick(r, "1", "2", "")
	}
	if r.chance(40) {
		out["uid"] = pick(r, "u", "v", "")
		if bad() {
			out["uid"] = r.any(1)
		}
	}
	if r.chance(12) {
		entry := object{"manager": "m", "operation": "Update", "apiVersion": "v1", "time": "2026-01-02T03:04:05Z",
			"fieldsType": "FieldsV1", "fieldsV1": object{"f:spec": object{}}}
		if bad() {
			entry[pick(r, "manager", "operation", "time", "fieldsType", "fieldsV1", "subresource", "foo")] = pick[any](r, "x", "", int64(1), nil,
				strings.Repeat("m", 300), "a\u0001b", object{}, "Apply")
		}
		out["managedFields"] = []any{entry}
	}
	if bad() {
		out[pick(r, "foo", "selfLink", "clusterName", "Name")] = r.any(1)
	}
	if r.chance(wrong / 4) {
		return r.any(1)
	}
	return out
}

// changed returns a copy of a value with some changes.
func (r Random) changed(value any, schema object, changes int) any {
	out := clone(value)
	for i := 0; i < changes; i++ {
		out = r.change(out, schema)
	}
	return out
}

func (r Random) change(value any, schema object) any {
	switch value := value.(type) {
	case object:
		properties, _ := schema["properties"].(object)
		sorted := []string{}
		for name := range value {
			sorted = append(sorted, name)
		}
		sort.Strings(sorted)
		if len(sorted) == 0 || r.chance(15) {
			for _, name := range names {
				if property, ok := properties[name].(object); ok && r.chance(50) {
					value[name] = r.value(property, 20)
				}
			}
			return value
		}
		name := pick(r, sorted...)
		if name == "metadata" || (name == "apiVersion" || name == "kind") && r.chance(90) {
			return value
		}
		if r.chance(10) {
			delete(value, name)
			return value
		}
		of, ok := properties[name].(object)
		if !ok {
			of, _ = schema["additionalProperties"].(object)
		}
		value[name] = r.change(value[name], of)
		return value
	case []any:
		of, _ := schema["items"].(object)
		switch {
		case len(value) == 0 || r.chance(30):
			return append(value, r.value(of, 20))
		case r.chance(15):
			at := r.Intn(len(value))
			return append(value[:at:at], value[at+1:]...)
		case r.chance(20) && len(value) > 1:
			value[0], value[1] = value[1], value[0]
			return value
		}
		at := r.Intn(len(value))
		value[at] = r.change(value[at], of)
		return value
	default:
		if schema == nil {
			return r.any(1)
		}
		return r.value(schema, 20)
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
	case []any:
		out := make([]any, len(value))
		for at, item := range value {
			out[at] = clone(item)
		}
		return out
	}
	return value
}

// text returns JSON in which floats without a fraction stay floats.
func text(value any) json.RawMessage {
	var out bytes.Buffer
	write(&out, value)
	return out.Bytes()
}

func write(out *bytes.Buffer, value any) {
	switch value := value.(type) {
	case object:
		out.WriteByte('{')
		sorted := []string{}
		for name := range value {
			sorted = append(sorted, name)
		}
		sort.Strings(sorted)
		for at, name := range sorted {
			if at > 0 {
				out.WriteByte(',')
			}
			write(out, name)
			out.WriteByte(':')
			write(out, value[name])
		}
		out.WriteByte('}')
	case []any:
		out.WriteByte('[')
		for at, item := range value {
			if at > 0 {
				out.WriteByte(',')
			}
			write(out, item)
		}
		out.WriteByte(']')
	case float64:
		text := fmt.Sprint(value)
		if !strings.ContainsAny(text, ".e") {
			text += ".0"
		}
		out.WriteString(text)
	default:
		text, err := json.Marshal(value)
		if err != nil {
			panic(err)
		}
		out.Write(text)
	}
}
