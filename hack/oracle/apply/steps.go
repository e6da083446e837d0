package main

import (
	"encoding/json"
	"fmt"
	"math/rand"
	"sort"
	"strings"
	"testing/synctest"
	"time"

	autoscalingv1 "k8s.io/api/autoscaling/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/managedfields"
	"sigs.k8s.io/structured-merge-diff/v6/fieldpath"
)

// testCase is a sequence of writes to one object.
type testCase struct {
	Seed int64 `json:"seed"`
	// Name of the definition, for one of Kubernetes' own kinds.
	Definition string    `json:"definition,omitempty"`
	APIVersion string    `json:"apiVersion,omitempty"`
	Kind       string    `json:"kind,omitempty"`
	Versions   []version `json:"versions"`
	Steps      []step    `json:"steps"`
}

// step is a write. The live object is the result of the last step, converted to the step's version.
type step struct {
	// Op is update, apply, scale, schemas (changes the definition) or fields (parses and prints a
	// set of fields).
	Op string `json:"op"`
	// Versions of the definition from this step on, for schemas.
	Versions    []version `json:"versions,omitempty"`
	Version     string    `json:"version,omitempty"`
	Subresource string    `json:"subresource,omitempty"`
	Manager     string    `json:"manager,omitempty"`
	Force       bool      `json:"force,omitempty"`
	Now         string    `json:"now,omitempty"`
	// Create is true if there is no live object.
	Create bool   `json:"create,omitempty"`
	Input  object `json:"input,omitempty"`
	outcome
	// For scale: the Scale with its managed fields, before and after the write.
	Live   object `json:"live,omitempty"`
	Scaled object `json:"scaled,omitempty"`
	// For fields: the set as JSON text, or empty if it cannot be parsed.
	Text string `json:"text,omitempty"`
	// With -extract: what client-go extracts from the object, for each manager that has applied.
	Extracted []extraction `json:"extracted,omitempty"`
}

type run_ struct {
	*rand.Rand
	values                  values
	server                  *server
	versions                []version
	live                    object
	applied                 map[string]object
	group, kind, definition string
	// Without mistakes, changes of schemas and writes to managed fields.
	calm bool
	// With many managers, most of which update.
	crowd bool
}

func run(random *rand.Rand, seed int64, steps int, published *published) testCase {
	r := &run_{Rand: random, applied: map[string]object{}, group: group, kind: kind}
	r.values = values{Rand: random, wrong: pick(random, 0, 0, 5, 20), full: pick(random, 40, 60, 90)}
	r.calm, r.crowd = random.Intn(3) == 0 || *extract, random.Intn(8) == 0
	if r.calm || r.crowd {
		r.values.wrong = 0
	}
	generator := schemas{random, *depth}
	if published != nil {
		if err := r.own(published); err != nil {
			panic(err)
		}
	}
	for r.server == nil {
		r.versions = nil
		names := []string{"v1", "v2"}[:1+random.Intn(4)/3]
		if *extract {
			names = names[:1]
		}
		for _, name := range names {
			v := version{Name: name, Schema: generator.root(), Status: random.Intn(3) > 0}
			if name == "v2" && random.Intn(3) > 0 {
				v.Schema = generator.edited(r.versions[0].Schema)
			}
			if random.Intn(2) == 0 {
				v.Replicas = ".spec.replicas"
				spec := v.Schema["properties"].(object)["spec"].(object)
				spec["properties"].(object)["replicas"] = object{"type": "integer"}
			}
			r.versions = append(r.versions, v)
		}
		r.server, _ = newServer(r.versions)
	}
	result := testCase{Seed: seed, Versions: r.versions, Definition: r.definition}
	if r.definition != "" {
		result.APIVersion, result.Kind, result.Versions = r.apiVersion(r.versions[0].Name), r.kind, nil
	}
	for len(result.Steps) < steps {
		if s, ok := r.step(); ok {
			if *extract && s.Object != nil {
				s.Extracted = r.extractions(s.Object)
			}
			result.Steps = append(result.Steps, s)
		}
	}
	return result
}

func (r *run_) apiVersion(version string) string {
	if r.group == "" {
		return version
	}
	return r.group + "/" + version
}

func (r *run_) chance(percent int) bool { return r.Intn(100) < percent }

func (r *run_) step() (step, bool) {
	time.Sleep(time.Duration(r.Intn(3)) * 500 * time.Millisecond)
	synctest.Wait()
	if !r.calm && !r.crowd && r.definition == "" && r.chance(4) {
		return r.newSchemas()
	}
	v := r.versions[r.Intn(len(r.versions))]
	s := step{
		Version: v.Name,
		Manager: pick(r.Rand, "m1", "m1", "m2", "m2", "m3", "kubectl", "a!", "<b>", ""),
		Now:     metav1.Now().UTC().Format(time.RFC3339),
		Create:  r.live == nil || r.chance(2),
	}
	if *extract && s.Manager == "kubectl" {
		// Its applies also change the annotation of kubectl's last apply.
		s.Manager = "m1"
	}
	if r.chance(3) || r.crowd && r.chance(80) {
		s.Manager = fmt.Sprintf("n%d", r.Intn(14))
	}
	if s.Create {
		r.live = nil
	}
	if r.chance(20) && !s.Create {
		s.Subresource = "status"
	}
	switch {
	case r.chance(6) && !s.Create && v.Replicas != "" && !*extract:
		return r.scale(s, v)
	case r.chance(3) && !s.Create && !*extract:
		return r.fields()
	case r.chance(55) && !(r.crowd && r.chance(70)):
		return r.apply(s, v)
	default:
		return r.update(s, v)
	}
}

func (r *run_) newSchemas() (step, bool) {
	var edited []version
	for _, v := range r.versions {
		v.Schema = schemas{r.Rand, 0}.edited(v.Schema)
		edited = append(edited, v)
	}
	if r.chance(10) {
		edited = edited[:1]
	}
	server, err := newServer(edited)
	if err != nil {
		return step{}, false
	}
	r.server, r.versions = server, edited
	return step{Op: "schemas", Versions: edited}, true
}

// before returns the live object in the version of a step.
func (r *run_) before(s step) *unstructured.Unstructured {
	live := copied(r.live)
	if live == nil {
		live = object{"kind": r.kind}
	}
	live["apiVersion"] = r.apiVersion(s.Version)
	return &unstructured.Unstructured{Object: live}
}

func (r *run_) manager(s step) *managedfields.FieldManager {
	if s.Subresource == "status" {
		return r.server.status[s.Version]
	}
	return r.server.main[s.Version]
}

func (r *run_) update(s step, v version) (step, bool) {
	s.Op = "update"
	s.Input = r.before(s).Object
	if s.Create {
		s.Input["metadata"] = object{"name": "w", "namespace": "default", "uid": "u-1", "generation": int64(1)}
	}
	r.edit(s, v)
	s.Input = copied(s.Input)
	input := &unstructured.Unstructured{Object: copied(s.Input)}
	object := r.manager(s).UpdateNoErrors(r.before(s), input, s.Manager)
	s.Object = content(object)
	r.live = s.Object
	return s, true
}

// isReset returns whether the registry of the API server undoes changes of a field, with -extract:
// the field managers alone would leave an entry with fields that the object does not have.
func isReset(s step, name string) bool {
	return *extract && (s.Subresource == "status") != (name == "status")
}

// edit changes some fields of the input of a step, and sometimes its managed fields.
func (r *run_) edit(s step, v version) {
	input := s.Input
	properties := v.Schema["properties"].(object)
	for _, name := range parts(properties) {
		property, declared := properties[name].(object)
		if !declared || !r.chance(60) || isReset(s, name) {
			continue
		}
		if before, there := input[name]; there && r.chance(80) {
			input[name] = r.values.edited(before, property)
		} else {
			input[name] = r.values.of(property)
		}
	}
	metadata := input["metadata"].(object)
	if !isReset(s, "metadata") {
		r.editMetadata(metadata)
	}
	if r.calm || r.crowd {
		return
	}
	switch entries := metadata["managedFields"].(type) {
	case []any:
		switch r.Intn(40) {
		case 0:
			delete(metadata, "managedFields")
		case 1:
			metadata["managedFields"] = []any{object{}}
		case 2:
			metadata["managedFields"] = []any{}
		case 3:
			metadata["managedFields"] = append(entries, r.entry())
		case 4:
			metadata["managedFields"] = entries[r.Intn(len(entries)):]
		case 5:
			metadata["managedFields"] = []any{r.entry(), r.entry()}
		}
	}
}

// parts returns the top-level fields that cases write.
func parts(properties object) []string {
	var names []string
	for name := range properties {
		if name != "apiVersion" && name != "kind" && name != "metadata" {
			names = append(names, name)
		}
	}
	sort.Strings(names)
	return names
}

func (r *run_) editMetadata(metadata object) {
	for _, name := range []string{"labels", "annotations"} {
		if r.chance(20) {
			metadata[name] = object{r.values.text(): r.values.text(), "l": r.values.text()}
		}
	}
	if r.chance(8) {
		text, _ := json.Marshal(object{
			"apiVersion": r.apiVersion("v1"), "kind": r.kind, "metadata": object{"name": "w"}, "spec": r.live["spec"],
		})
		metadata["annotations"] = object{"kubectl.kubernetes.io/last-applied-configuration": string(text)}
	}
	if r.chance(10) {
		metadata["finalizers"] = []any{"x.y/" + r.values.text(), "x.y/f"}
	}
	if r.chance(10) {
		owner := object{"apiVersion": "v1", "kind": "ConfigMap", "name": r.values.text(), "uid": "o1"}
		if r.chance(10) && !*extract {
			delete(owner, "uid")
		}
		metadata["ownerReferences"] = []any{owner}
	}
}

func (r *run_) entry() any {
	if r.chance(5) {
		return pick[any](r.Rand, "x", nil, object{"operation": 5})
	}
	return object{
		"manager":    pick(r.Rand, "m1", "m2", "hand"),
		"operation":  pick(r.Rand, "Apply", "Update", "Update", "Update", "Update", "Merge"),
		"apiVersion": pick(r.Rand, r.apiVersion("v1"), r.apiVersion("v1"), r.apiVersion("v1"), r.apiVersion("v2"), r.apiVersion("v0"), "other.dev/v1", "a/b/c", ""),
		"time":       pick(r.Rand, "1999-01-01T00:00:00Z", "1998-12-31T23:30:00.5-01:00", "2000-01-01T00:00:01Z"),
		"fieldsType": pick(r.Rand, "FieldsV1", "FieldsV1", "FieldsV1", "FieldsV1", "FieldsV1", "FieldsV1", "FieldsV2", ""),
		"fieldsV1":   r.randomFields(4),
	}
}

func (r *run_) randomFields(depth int) object {
	fields := object{}
	if depth == 0 {
		return fields
	}
	for range r.Intn(4) {
		key := pick(r.Rand, "f:spec", "f:a", "f:b", "f:c", "f:d", "f:a", "f:b", "f:metadata", "f:labels", "f:l",
			".", `k:{"name":"x"}`, `k:{"port":80,"name":"y"}`, `k:{"name":"<&>","port":1.5}`, `v:"x"`, "v:1", "v:1.0", "v:9007199254740993",
			"v:1e-7", "v:1e21", "v:true", "v:null", "i:0", "i:-3", "x:what", "f:k/1", "f:ä\u2028<", "f:q\"\\")
		fields[key] = r.randomFields(depth - 1)
		if r.Intn(400) == 0 {
			fields[key] = pick[any](r.Rand, nil, "x", 5)
		}
		if r.Intn(400) == 0 {
			fields[pick(r.Rand, "f", "fx", "i:x", "v:{", "k:[]", "k:{")] = object{}
		}
	}
	return fields
}

// fields returns a step that parses and prints a random set of fields.
func (r *run_) fields() (step, bool) {
	s := step{Op: "fields", Input: copied(r.randomFields(5))}
	text, _ := json.Marshal(s.Input)
	set := &fieldpath.Set{}
	if err := set.FromJSON(strings.NewReader(string(text))); err != nil {
		return s, true
	}
	written, err := set.ToJSON()
	if err != nil {
		panic(err)
	}
	s.Text = string(written)
	return s, true
}

func (r *run_) apply(s step, v version) (step, bool) {
	s.Op = "apply"
	s.Force = r.chance(40)
	key := s.Manager + s.Subresource
	last, again := r.applied[key]
	s.Input = object{"apiVersion": r.apiVersion(s.Version), "kind": r.kind}
	metadata := object{"name": "w", "namespace": "default"}
	s.Input["metadata"] = metadata
	properties := v.Schema["properties"].(object)
	for _, name := range parts(properties) {
		property, declared := properties[name].(object)
		if !declared || isReset(s, name) {
			continue
		}
		before, there := last[name]
		switch {
		case there && r.chance(85):
			s.Input[name] = before
			if r.chance(70) {
				s.Input[name] = r.values.edited(before, property)
			}
		case r.chance(50) && name == "spec" || r.chance(15):
			s.Input[name] = r.values.of(property)
		case r.chance(20) && r.live[name] != nil:
			s.Input[name] = r.values.edited(r.live[name], property)
		}
	}
	if again && r.chance(50) {
		s.Input["metadata"] = last["metadata"]
		metadata = copied(last["metadata"].(object))
		s.Input["metadata"] = metadata
	}
	if !isReset(s, "metadata") {
		r.editMetadata(metadata)
	}
	if r.Intn(200) == 0 {
		metadata["managedFields"] = pick[any](r.Rand, []any{}, []any{object{"manager": "x"}}, nil, object{})
	}
	if r.Intn(200) == 0 {
		s.Input["apiVersion"] = pick(r.Rand, r.apiVersion("v3"), "v1", "other.dev/v1", "a/b/c", "")
	}
	if r.Intn(300) == 0 {
		s.Input["kind"] = "Gadget"
	}
	s.Input = copied(s.Input)
	if !s.Create || r.chance(70) {
		r.applied[key] = s.Input
	}
	s.outcome = r.outcome(func() (runtime.Object, error) {
		input := &unstructured.Unstructured{Object: copied(s.Input)}
		return r.manager(s).Apply(r.before(s), input, s.Manager, s.Force)
	})
	if s.Object != nil {
		r.live = s.Object
		if metadata, ok := r.live["metadata"].(object); ok && s.Create {
			metadata["uid"] = "u-1"
			r.live = copied(r.live)
			s.Object = copied(s.Object)
		}
	}
	return s, true
}

// outcome returns the result of a write. Several errors are in random order, and one may hide
// others: a write without a Status is repeated to collect all messages.
func (r *run_) outcome(try func() (runtime.Object, error)) outcome {
	result, err := try()
	if err == nil {
		return outcome{Object: content(result)}
	}
	var o outcome
	status, ok := err.(apierrors.APIStatus)
	if !ok {
		o.Code = 500
		seen := map[string]bool{}
		for range 30 {
			_, err := try()
			if err != nil {
				seen[sorted(err.Error())] = true
			}
		}
		for text := range seen {
			o.Errors = append(o.Errors, text)
		}
		sort.Strings(o.Errors)
		return o
	}
	o.Code = int(status.Status().Code)
	o.Errors = []string{status.Status().Message}
	if details := status.Status().Details; details != nil {
		o.Causes = details.Causes
		sort.Slice(o.Causes, func(i, j int) bool {
			a, b := o.Causes[i], o.Causes[j]
			return a.Message+"\n"+a.Field < b.Message+"\n"+b.Field
		})
	}
	return o
}

// sorted returns a message with its list of errors sorted.
func sorted(message string) string {
	head, list, found := strings.Cut(message, "errors:\n")
	if !found {
		return message
	}
	lines := strings.Split(list, "\n")
	sort.Strings(lines)
	return head + "errors:\n" + strings.Join(lines, "\n")
}

func (r *run_) scale(s step, v version) (step, bool) {
	s.Op, s.Subresource = "scale", ""
	live := r.before(s)
	s.Input = object{"replicas": int64(r.Intn(4))}
	path := strings.Split(strings.TrimPrefix(v.Replicas, "."), ".")
	replicas, found, err := unstructured.NestedInt64(live.Object, path...)
	if err != nil || !found {
		return s, false
	}
	handler := managedfields.NewScaleHandler(live.GetManagedFields(), live.GroupVersionKind().GroupVersion(), r.server.replicas)
	entries, err := handler.ToSubresource()
	if err != nil {
		return s, false
	}
	before := &autoscalingv1.Scale{
		TypeMeta:   metav1.TypeMeta{APIVersion: "autoscaling/v1", Kind: "Scale"},
		ObjectMeta: metav1.ObjectMeta{Name: "w", Namespace: "default", UID: "u-1", ManagedFields: entries},
		Spec:       autoscalingv1.ScaleSpec{Replicas: int32(replicas)},
	}
	s.Live = content(before.DeepCopy())
	var after runtime.Object
	if r.chance(50) {
		changed := before.DeepCopy()
		changed.Spec.Replicas = int32(s.Input["replicas"].(int64))
		after = r.server.scale[s.Version].UpdateNoErrors(before, changed, s.Manager)
	} else {
		s.Force = r.chance(50)
		s.Input["apply"] = object{"apiVersion": "autoscaling/v1", "kind": "Scale",
			"metadata": object{"name": "w", "namespace": "default"},
			"spec":     object{"replicas": s.Input["replicas"]}}
		patch := &unstructured.Unstructured{Object: copied(s.Input["apply"].(object))}
		s.outcome = r.outcome(func() (runtime.Object, error) {
			return r.server.scale[s.Version].Apply(before.DeepCopy(), patch, s.Manager, s.Force)
		})
		if s.Errors != nil {
			return s, true
		}
		after, _ = r.server.scale[s.Version].Apply(before.DeepCopy(), patch, s.Manager, s.Force)
		s.outcome = outcome{}
	}
	s.Scaled = content(after)
	scale := &autoscalingv1.Scale{}
	text, _ := json.Marshal(s.Scaled)
	if err := json.Unmarshal(text, scale); err != nil {
		panic(err)
	}
	updated, err := handler.ToParent(scale.ManagedFields)
	if err != nil {
		return s, false
	}
	if err := unstructured.SetNestedField(live.Object, int64(scale.Spec.Replicas), path...); err != nil {
		return s, false
	}
	live.SetManagedFields(updated)
	s.Object = content(live)
	r.live = s.Object
	return s, true
}

func content(o runtime.Object) object {
	text, err := json.Marshal(o)
	if err != nil {
		panic(err)
	}
	return decoded(text)
}

func copied(o object) object {
	if o == nil {
		return nil
	}
	text, err := json.Marshal(o)
	if err != nil {
		panic(err)
	}
	return decoded(text)
}

// decoded decodes JSON as the API server does: integers become int64.
func decoded(text []byte) object {
	result := &unstructured.Unstructured{Object: object{}}
	text = []byte(`{"kind":"x","inner":` + string(text) + `}`)
	if err := result.UnmarshalJSON(text); err != nil {
		panic(err)
	}
	return result.Object["inner"].(object)
}
