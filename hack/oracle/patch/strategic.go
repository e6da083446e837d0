package main

import (
	"encoding/json"
	"math/rand"
	"reflect"
	"strings"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/mergepatch"
	"k8s.io/apimachinery/pkg/util/strategicpatch"
	kjson "sigs.k8s.io/json"
)

func objects() []runtime.Object {
	meta := func(version, kind string) metav1.TypeMeta { return metav1.TypeMeta{APIVersion: version, Kind: kind} }
	return []runtime.Object{
		&corev1.Pod{TypeMeta: meta("v1", "Pod")},
		&appsv1.Deployment{TypeMeta: meta("apps/v1", "Deployment")},
		&corev1.Service{TypeMeta: meta("v1", "Service")},
		&corev1.ServiceAccount{TypeMeta: meta("v1", "ServiceAccount")},
		&corev1.Node{TypeMeta: meta("v1", "Node")},
		&corev1.ConfigMap{TypeMeta: meta("v1", "ConfigMap")},
	}
}

func strategicCase(random *rand.Rand) (live, patch map[string]any, object runtime.Object) {
	all := objects()
	object = all[random.Intn(len(all))]
	of := reflect.TypeOf(object).Elem()
	live = maker{random, false}.object(of, 6)
	patch = maker{random, true}.object(of, 6)
	return live, patch, object
}

// maker generates values of Go types. Values for patches have directives such as `$patch`.
type maker struct {
	*rand.Rand
	patch bool
}

func (m maker) object(t reflect.Type, depth int) map[string]any {
	out := map[string]any{}
	m.fill(out, t, depth)
	if !m.patch {
		return out
	}
	switch m.Intn(60) {
	case 0:
		out["$patch"] = "delete"
	case 1:
		out["$patch"] = "replace"
	case 2:
		out["$patch"] = []any{"merge", "x", 1}[m.Intn(3)]
	case 3:
		out["unknown"] = map[string]any{"a": []any{"x"}}
	case 4, 5:
		retained := []any{}
		for key := range out {
			if m.Intn(8) > 0 {
				retained = append(retained, key)
			}
		}
		out["$retainKeys"] = sorted(append(retained, "name"))
	}
	return out
}

func (m maker) fill(out map[string]any, t reflect.Type, depth int) {
	for i := range t.NumField() {
		field := t.Field(i)
		name, _, _ := strings.Cut(field.Tag.Get("json"), ",")
		if field.Anonymous && name == "" {
			if name := field.Type.Name(); name != "TypeMeta" {
				m.fill(out, field.Type, depth)
			}
			continue
		}
		merges := field.Tag.Get("patchStrategy") != ""
		wanted := m.Intn(12) == 0 || (merges && m.Intn(3) > 0) || name == "spec" || name == field.Tag.Get("patchMergeKey")
		if keyOf(t) == name {
			wanted = m.Intn(40) > 0
		}
		if name == "" || name == "-" || depth == 0 || !wanted {
			continue
		}
		out[name] = m.value(field.Type, depth-1)
		if !m.patch {
			continue
		}
		switch m.Intn(25) {
		case 0:
			out[name] = nil
		case 1:
			out[name] = []any{"x", 1, true, []any{}, map[string]any{}}[m.Intn(5)]
		}
		if list, ok := out[name].([]any); ok {
			m.directives(out, name, list, field)
		}
	}
}

// keyOf returns the field that identifies items of a type in merged lists.
func keyOf(t reflect.Type) string {
	for _, key := range []string{"mountPath", "devicePath", "containerPort", "port", "ip", "topologyKey", "uid", "type", "name"} {
		for i := range t.NumField() {
			if name, _, _ := strings.Cut(t.Field(i).Tag.Get("json"), ","); name == key {
				return key
			}
		}
	}
	return ""
}

func (m maker) directives(out map[string]any, name string, list []any, field reflect.StructField) {
	key := field.Tag.Get("patchMergeKey")
	scalars := len(list) == 0 || reflect.TypeOf(list[0]).Kind() != reflect.Map
	if scalars && m.Intn(4) == 0 {
		out["$deleteFromPrimitiveList/"+name] = m.value(field.Type, 1)
		if m.Intn(2) == 0 {
			delete(out, name)
		}
	}
	for _, item := range list {
		if members, ok := item.(map[string]any); ok && m.Intn(6) == 0 {
			members["$patch"] = []any{"delete", "delete", "delete", "replace", "merge"}[m.Intn(5)]
		}
	}
	if m.Intn(3) > 0 || (field.Tag.Get("patchStrategy") == "" && m.Intn(10) > 0) {
		return
	}
	order := []any{}
	for _, item := range list {
		members, ok := item.(map[string]any)
		switch {
		case !ok:
			order = append(order, item)
		case members["$patch"] == nil:
			order = append(order, map[string]any{key: members[key]})
		}
	}
	for range m.Intn(3) {
		if scalars {
			order = append(order, m.word())
		} else {
			order = append(order, map[string]any{key: m.keyValue(key)})
		}
	}
	if m.Intn(5) == 0 {
		m.Shuffle(len(order), func(i, j int) { order[i], order[j] = order[j], order[i] })
	}
	out["$setElementOrder/"+name] = order
	if m.Intn(4) == 0 {
		delete(out, name)
	}
}

func (m maker) keyValue(key string) any {
	if strings.HasSuffix(key, "ort") {
		return 1 + m.Intn(5)
	}
	return m.word()
}

func (m maker) word() string { return []string{"a", "b", "c", "d", "e"}[m.Intn(5)] }

func (m maker) value(t reflect.Type, depth int) any {
	switch t.Kind() {
	case reflect.Pointer:
		return m.value(t.Elem(), depth)
	case reflect.Bool:
		return m.Intn(2) == 0
	case reflect.Int, reflect.Int32, reflect.Int64:
		return 1 + m.Intn(5)
	case reflect.Float64:
		return 1.5
	case reflect.Map:
		out := map[string]any{}
		for range m.Intn(3) {
			out[m.word()] = m.value(t.Elem(), depth-1)
		}
		return out
	case reflect.Slice:
		if t.Elem().Kind() == reflect.Uint8 {
			return "YQ=="
		}
		out := []any{}
		for range m.Intn(5) {
			out = append(out, m.value(t.Elem(), depth-1))
		}
		return out
	case reflect.Struct:
		if _, own := reflect.New(t).Interface().(json.Unmarshaler); own {
			return "1"
		}
		if depth <= 0 {
			return map[string]any{"name": m.word()}
		}
		return m.object(t, depth)
	}
	return m.word()
}

func sorted(items []any) []any {
	for i := range items {
		for j := i; j > 0 && items[j].(string) < items[j-1].(string); j-- {
			items[j], items[j-1] = items[j-1], items[j]
		}
	}
	return items
}

func applyStrategic(doc, patch []byte, object runtime.Object) outcome {
	var live, change map[string]any
	if err := kjson.UnmarshalCaseSensitivePreserveInts(doc, &live); err != nil {
		panic(err)
	}
	if err := kjson.UnmarshalCaseSensitivePreserveInts(patch, &change); err != nil {
		return outcome{Code: 400, Message: err.Error()}
	}
	result, err := strategicpatch.StrategicMergeMapPatch(live, change, object)
	switch err {
	case nil:
		return outcome{Result: text(result)}
	case mergepatch.ErrBadJSONDoc, mergepatch.ErrBadPatchFormatForPrimitiveList, mergepatch.ErrBadPatchFormatForRetainKeys,
		mergepatch.ErrBadPatchFormatForSetElementOrderList, mergepatch.ErrUnsupportedStrategicMergePatchFormat:
		return outcome{Code: 400, Message: err.Error()}
	case mergepatch.ErrNoListOfLists, mergepatch.ErrPatchContentNotMatchRetainKeys:
		return outcome{Code: 422, Message: generic}
	}
	return outcome{Code: 500, Message: err.Error()}
}
