package main

import (
	"context"
	"encoding/json"
	"fmt"
	"math/rand"
	"sort"

	structuralschema "k8s.io/apiextensions-apiserver/pkg/apiserver/schema"
	rules "k8s.io/apiextensions-apiserver/pkg/apiserver/schema/cel"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/cel/model"
	"k8s.io/apimachinery/pkg/runtime"
	celconfig "k8s.io/apiserver/pkg/apis/cel"
	"k8s.io/apiserver/pkg/cel/common"
	"k8s.io/apiserver/pkg/warning"
)

// SchemaCase is one case: a schema and an object, with the results of the schema's rules.
type SchemaCase struct {
	Schema     map[string]interface{} `json:"schema"`
	Object     map[string]interface{} `json:"object"`
	Old        map[string]interface{} `json:"old,omitempty"`
	Ratcheting bool                   `json:"ratcheting,omitempty"`
	Budget     int64                  `json:"budget"`
	Causes     []string               `json:"causes"`
	Warnings   []string               `json:"warnings,omitempty"`
	Remaining  int64                  `json:"remaining"`
}

type recorder struct{ texts *[]string }

func (r recorder) AddWarning(_, text string) { *r.texts = append(*r.texts, text) }

// objectsPerSchema is the number of objects for each schema, whose rules are slow to compile.
const objectsPerSchema = 10

func schemaCases(random *rand.Rand) []SchemaCase {
	g := &maker{random}
	root := g.root()
	text, err := json.Marshal(root)
	check(err)
	schema := structural(text)
	validator := rules.NewValidator(schema, true, celconfig.PerCallLimit)
	var cases []SchemaCase
	for i := 0; i < objectsPerSchema; i++ {
		c := SchemaCase{Schema: root, Budget: celconfig.RuntimeCELCostBudget, Object: g.object()}
		if g.Intn(3) > 0 {
			c.Old = g.changed(c.Object)
			c.Ratcheting = g.Intn(3) > 0
		}
		if g.Intn(8) == 0 {
			c.Budget = int64(g.Intn(40))
		}
		c.answer(schema, validator)
		if c.isSure(schema, validator) {
			cases = append(cases, c)
		}
	}
	return cases
}

// isSure returns false if the result depends on Go's map order, which is random.
func (c SchemaCase) isSure(schema *structuralschema.Structural, validator *rules.Validator) bool {
	if c.Remaining >= 0 && c.Budget == celconfig.RuntimeCELCostBudget {
		return true
	}
	for again := 0; again < 20; again++ {
		other := c
		other.answer(schema, validator)
		if fmt.Sprint(other) != fmt.Sprint(c) {
			return false
		}
	}
	return true
}

func (c *SchemaCase) answer(schema *structuralschema.Structural, validator *rules.Validator) {
	c.Causes, c.Warnings = []string{}, nil
	object, old := copied(c.Object), copied(c.Old)
	ctx := warning.WithWarningRecorder(context.Background(), recorder{&c.Warnings})
	var options []rules.Option
	if c.Ratcheting {
		correlated := common.NewCorrelatedObject(object, old, &model.Structural{Structural: schema})
		options = append(options, rules.WithRatcheting(correlated))
	}
	var before interface{}
	if c.Old != nil {
		before = old
	}
	errors, remaining := validator.Validate(ctx, nil, schema, object, before, c.Budget, options...)
	for _, e := range errors {
		c.Causes = append(c.Causes, fmt.Sprintf("%s %s: %s", string(e.Type), e.Field, e.ErrorBody()))
	}
	c.Remaining = remaining
	sort.Strings(c.Causes)
	sort.Strings(c.Warnings)
}

// copied returns a copy of a value, decoded as the API server does.
func copied(value map[string]interface{}) map[string]interface{} {
	if value == nil {
		return nil
	}
	text, err := json.Marshal(value)
	check(err)
	return runtime.DeepCopyJSON(object(text))
}

func object(text []byte) map[string]interface{} { return decode(text).(map[string]interface{}) }

type maker struct{ *rand.Rand }

type fields = map[string]interface{}

// rulesOf has the pool of rules for each part of the schema.
var rulesOf = map[string][]string{
	"root":     {"self.metadata.name == 'x'", "self.spec.text == oldSelf.spec.text", "has(self.spec.count) && self.spec.count > 2", "self.kind == 'Thing'", "!has(self.metadata.generateName)", "self.spec == oldSelf.spec"},
	"spec":     {"self == oldSelf", "has(self.text)", "self.text.size() > 3", "self.count < 5", "self.text == 'x' || self.count > 0", "self.list.all(x, x > 0)", "self.count / (self.count - 2) > 0", "self.labels.a == 'b'", "has(self.text) == has(oldSelf.text)", "self.set == ['a', 'b']", "self.ports.all(p, p.port > 0)", "oldSelf.hasValue() || self.count > 1", "oldSelf.orValue(self).text == self.text", "self.kept == oldSelf.kept", "self.embedded.metadata.name == 'e'", "self.port == 8080 || self.port == '50%'", "self.port < 9000"},
	"text":     {"self == 'hello'", "self.startsWith('a')", "self == oldSelf", "self != oldSelf.orValue('')", "oldSelf.hasValue()", "self.matches('^[a-z]+$')", "false", "int(self) > 1", "1 / 0 == 1"},
	"count":    {"self > 2", "self >= oldSelf", "self != 3", "self % 2 == 0", "oldSelf.optMap(o, o <= self).orValue(true)", "self / 0 > 1"},
	"list":     {"self.size() > 1", "self.isSorted()", "self == oldSelf", "self.all(x, x > 1)", "self[5] > 0", "self.sum() < 10", "self + [1] == self", "lists.range(2000000).size() > 0"},
	"item":     {"self > 1", "self >= oldSelf", "self != 2", "oldSelf.hasValue()"},
	"set":      {"self == ['b', 'a']", "self + ['c'] == self", "'a' in self", "self == oldSelf", "(self + ['z']).size() == (self + ['z']).size() + 1"},
	"ports":    {"self.exists(p, p.name == 'http')", "self == oldSelf", "self.all(p, oldSelf.exists(o, o.name == p.name))", "self.size() < 2", "self.map(p, p.port).sum() < 500"},
	"port":     {"self.port > 80", "self.port >= oldSelf.port", "self == oldSelf", "has(self.port)", "oldSelf.hasValue()"},
	"labels":   {"'a' in self", "self.all(k, self[k] != '')", "self == oldSelf", "self.size() < 2"},
	"label":    {"self == 'b'", "self == oldSelf", "self.size() > 1"},
	"kept":     {"has(self.known)", "self == oldSelf", "self.known == 'k'"},
	"embedded": {"self.metadata.name == 'e'", "self.kind == 'Pod'", "self == oldSelf"},
	"any":      {"self == 1", "self == 'x'", "self > 5", "type(self) == int", "self == oldSelf"},
	"moment":   {"self > timestamp('2026-01-01T00:00:00Z')", "self.getFullYear() == 2026", "self >= oldSelf", "oldSelf.orValue(self) == self"},
}

func (g *maker) rules(kind string) []interface{} {
	var all []interface{}
	for n := g.Intn(3); n > 0; n-- {
		pool := rulesOf[kind]
		text := pool[g.Intn(len(pool))]
		rule := fields{"rule": text}
		if contains(text, "oldSelf.hasValue", "oldSelf.orValue", "oldSelf.optMap") || g.Intn(12) == 0 && !contains(text, "oldSelf") {
			rule["optionalOldSelf"] = true
		}
		if g.Intn(3) == 0 {
			rule["message"] = []string{"must fit", " padded ", "two\twords"}[g.Intn(3)]
		}
		if g.Intn(4) == 0 {
			rule["messageExpression"] = []string{"'computed ' + string(1 + 1)", "''", "'a\\nb'", "string(1 / 0)", "'  trimmed  '", "self == self ? 'same' : 'other'"}[g.Intn(6)]
		}
		if g.Intn(4) == 0 {
			rule["reason"] = []string{"FieldValueInvalid", "FieldValueForbidden", "FieldValueRequired", "FieldValueDuplicate"}[g.Intn(4)]
		}
		if kind == "spec" && g.Intn(3) == 0 {
			rule["fieldPath"] = []string{".text", ".labels['a.b']", ".kept.known", "['count']"}[g.Intn(4)]
		}
		all = append(all, rule)
	}
	return all
}

func contains(text string, parts ...string) bool {
	for _, part := range parts {
		for at := 0; at+len(part) <= len(text); at++ {
			if text[at:at+len(part)] == part {
				return true
			}
		}
	}
	return false
}

func (g *maker) with(kind string, schema fields) fields {
	if rules := g.rules(kind); len(rules) > 0 {
		schema["x-kubernetes-validations"] = rules
	}
	if (kind == "text" || kind == "count") && g.Intn(6) == 0 {
		branch := fields{}
		if rules := g.rules(kind); len(rules) > 0 {
			branch["x-kubernetes-validations"] = rules
			schema["allOf"] = []interface{}{branch}
		}
	}
	return schema
}

func (g *maker) root() fields {
	text := fields{"type": "string"}
	integer := func() fields { return fields{"type": "integer", "format": "int64"} }
	spec := g.with("spec", fields{"type": "object", "properties": fields{
		"text":     g.with("text", fields{"type": "string", "nullable": g.Intn(4) == 0}),
		"count":    g.with("count", integer()),
		"list":     g.with("list", fields{"type": "array", "items": g.with("item", integer())}),
		"set":      g.with("set", fields{"type": "array", "x-kubernetes-list-type": "set", "items": text}),
		"labels":   g.with("labels", fields{"type": "object", "additionalProperties": g.with("label", fields{"type": "string"})}),
		"port":     g.with("any", fields{"x-kubernetes-int-or-string": true}),
		"moment":   g.with("moment", fields{"type": "string", "format": "date-time"}),
		"kept":     g.with("kept", fields{"type": "object", "x-kubernetes-preserve-unknown-fields": true, "properties": fields{"known": text}}),
		"embedded": g.with("embedded", fields{"type": "object", "x-kubernetes-embedded-resource": true, "x-kubernetes-preserve-unknown-fields": true}),
		"ports": g.with("ports", fields{"type": "array", "x-kubernetes-list-type": "map", "x-kubernetes-list-map-keys": []interface{}{"name"},
			"items": g.with("port", fields{"type": "object", "required": []interface{}{"name"}, "properties": fields{"name": text, "port": g.with("item", integer())}})}),
	}})
	return g.with("root", fields{"type": "object", "properties": fields{
		"spec":     spec,
		"metadata": fields{"type": "object"}, "kind": text, "apiVersion": text,
	}, "x-kubernetes-validations": []interface{}{fields{"rule": "has(self.spec)"}}})
}

func (g *maker) object() fields {
	spec := fields{}
	maybe := func(name string, values ...interface{}) {
		if g.Intn(4) > 0 {
			spec[name] = values[g.Intn(len(values))]
		}
	}
	maybe("text", "hello", "abc", "", "x", "12", nil)
	maybe("count", 0, 1, 2, 3, 4, 7)
	maybe("list", []interface{}{1, 2, 3}, []interface{}{3, 1}, []interface{}{}, []interface{}{2})
	maybe("set", []interface{}{"a", "b"}, []interface{}{"b", "a"}, []interface{}{"c"})
	maybe("labels", fields{"a": "b"}, fields{}, fields{"b": "c"}, fields{"a.b": "x"})
	maybe("port", 8080, "50%", 1, "x")
	maybe("moment", "2026-02-03T04:05:06Z", "2020-01-01T00:00:00+01:00")
	maybe("kept", fields{"known": "k"}, fields{"unknown": fields{"a": 1}}, fields{})
	maybe("embedded", fields{"apiVersion": "v1", "kind": "Pod", "metadata": fields{"name": "e"}}, fields{"apiVersion": "v1", "kind": "Node", "spec": fields{"x": 1}})
	port := func(name string, port int) fields { return fields{"name": name, "port": port} }
	maybe("ports", []interface{}{port("http", 80)}, []interface{}{port("https", 443), port("http", 81)}, []interface{}{fields{"name": "x"}}, []interface{}{})
	return fields{"apiVersion": "oracle.example.com/v1", "kind": "Thing", "metadata": fields{"name": "x"}, "spec": spec}
}

// changed returns a random object that shares some fields with another one.
func (g *maker) changed(object fields) fields {
	other := g.object()
	spec, from := other["spec"].(fields), object["spec"].(fields)
	for name := range rulesNames {
		if g.Intn(3) > 0 {
			if value, ok := from[name]; ok {
				spec[name] = value
			} else {
				delete(spec, name)
			}
		}
	}
	return other
}

var rulesNames = fields{"text": nil, "count": nil, "list": nil, "set": nil, "labels": nil, "port": nil, "moment": nil, "kept": nil, "embedded": nil, "ports": nil}
