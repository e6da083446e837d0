package main

import (
	"encoding/json"
	"fmt"
	"os"
	"sort"
	"strconv"
	"strings"
	"time"

	"github.com/google/cel-go/cel"
	"github.com/google/cel-go/common/types"
	"github.com/google/cel-go/common/types/ref"
	"github.com/google/cel-go/common/types/traits"
	apiextensions "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions"
	v1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	structuralschema "k8s.io/apiextensions-apiserver/pkg/apiserver/schema"
	rules "k8s.io/apiextensions-apiserver/pkg/apiserver/schema/cel"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/cel/model"
	utiljson "k8s.io/apimachinery/pkg/util/json"
	"k8s.io/apimachinery/pkg/util/version"
	apiservercel "k8s.io/apiserver/pkg/cel"
	"k8s.io/apiserver/pkg/cel/environment"
	"k8s.io/apiserver/pkg/cel/library"
)

// Answer is one case: an expression with its result.
type Answer struct {
	Expression string `json:"expression"`
	Value      string `json:"value,omitempty"`
	Error      string `json:"error,omitempty"`
	Cost       uint64 `json:"cost"`
}

// readSubject reads the schema and the value of `self` from subject.json.
func readSubject() (*structuralschema.Structural, map[string]interface{}) {
	text, err := os.ReadFile("subject.json")
	check(err)
	var subject struct {
		Schema json.RawMessage `json:"schema"`
		Object json.RawMessage `json:"object"`
	}
	check(json.Unmarshal(text, &subject))
	return structural(subject.Schema), object(subject.Object)
}

func structural(text []byte) *structuralschema.Structural {
	var external v1.JSONSchemaProps
	check(json.Unmarshal(text, &external))
	var internal apiextensions.JSONSchemaProps
	check(v1.Convert_v1_JSONSchemaProps_To_apiextensions_JSONSchemaProps(&external, &internal, nil))
	schema, err := structuralschema.NewStructural(&internal)
	check(err)
	return schema
}

type evaluator struct {
	env        *cel.Env
	activation map[string]interface{}
	reason     string
}

func newEvaluator() *evaluator {
	schema, value := readSubject()
	declared := model.SchemaDeclType(schema, true).MaybeAssignTypeName("subject")
	set, err := environment.MustBaseEnvSet(version.MajorMinor(1, 36)).Extend(environment.VersionedOptions{
		IntroducedVersion: version.MajorMinor(1, 0),
		EnvOptions: []cel.EnvOption{
			cel.Variable("self", declared.CelType()),
			cel.Variable("oldSelf", types.NewOptionalType(declared.CelType())),
		},
		DeclTypes: []*apiservercel.DeclType{declared},
	})
	check(err)
	self := rules.UnstructuredToVal(value, model.WithTypeAndObjectMeta(schema))
	return &evaluator{
		env:        set.StoredExpressionsEnv(),
		activation: map[string]interface{}{"self": self, "oldSelf": types.OptionalOf(self)},
	}
}

func (e *evaluator) answer(expression string) (answer Answer, ok bool) {
	// cel-go panics in a check of some lists with optional elements.
	defer func() {
		if recover() != nil {
			e.reason = "cel-go panics"
			ok = false
		}
	}()
	ast, issues := e.env.Compile(expression)
	if issues.Err() != nil {
		e.reason = issues.Err().Error()
		return Answer{}, false
	}
	program, err := e.env.Program(ast, cel.CostLimit(1000000), cel.CostTracking(&library.CostEstimator{}))
	if err != nil {
		e.reason = err.Error()
		return Answer{}, false
	}
	answer = e.run(program)
	// Leave out expressions whose result depends on Go's map order.
	for again := 0; again < 6; again++ {
		if e.run(program) != answer {
			e.reason = "the result differs between evaluations"
			return Answer{}, false
		}
	}
	answer.Expression = expression
	return answer, true
}

func (e *evaluator) run(program cel.Program) (answer Answer) {
	value, details, err := program.Eval(e.activation)
	if details != nil && details.ActualCost() != nil {
		answer.Cost = *details.ActualCost()
	}
	if err != nil {
		answer.Error = err.Error()
	} else {
		answer.Value = printed(value)
	}
	return answer
}

// printed formats a value. The Rust tests that read the cases format their values the same way.
func printed(value ref.Val) string {
	switch v := value.(type) {
	case types.Null:
		return "null"
	case types.Bool:
		return strconv.FormatBool(bool(v))
	case types.Int:
		return strconv.FormatInt(int64(v), 10)
	case types.Uint:
		return strconv.FormatUint(uint64(v), 10) + "u"
	case types.Double:
		return fmt.Sprintf("double(%v)", float64(v))
	case types.String:
		return strconv.Quote(string(v))
	case types.Bytes:
		return fmt.Sprintf("bytes(%x)", []byte(v))
	case types.Duration:
		return fmt.Sprintf("duration(%d)", v.Duration.Nanoseconds())
	case types.Timestamp:
		return "timestamp(" + v.Time.Format(time.RFC3339Nano) + ")"
	case *types.Optional:
		if v.HasValue() {
			return "optional(" + printed(v.GetValue()) + ")"
		}
		return "none"
	case *types.Type:
		return "type(" + v.TypeName() + ")"
	case *types.Err:
		return "error(" + v.Error() + ")"
	case apiservercel.URL:
		return "url(" + v.URL.String() + ")"
	case apiservercel.Quantity:
		return "quantity"
	case *apiservercel.Quantity:
		return "quantity"
	case apiservercel.IP:
		return "ip(" + v.Addr.String() + ")"
	case apiservercel.CIDR:
		return "cidr(" + v.Prefix.String() + ")"
	case apiservercel.Format:
		return "format(" + v.Name + ")"
	case apiservercel.Semver:
		return "semver(" + v.Version.String() + ")"
	case traits.Lister:
		var items []string
		for it := v.Iterator(); it.HasNext() == types.True; {
			items = append(items, printed(it.Next()))
		}
		return "[" + strings.Join(items, ", ") + "]"
	case traits.Mapper:
		var entries []string
		for it := v.Iterator(); it.HasNext() == types.True; {
			key := it.Next()
			if key == nil {
				continue
			}
			entries = append(entries, printed(key)+": "+printed(v.Get(key)))
		}
		sort.Strings(entries)
		return "{" + strings.Join(entries, ", ") + "}"
	}
	return fmt.Sprintf("%T", value)
}

// decode decodes JSON as the API server does: whole numbers become int64.
func decode(text []byte) interface{} {
	var value interface{}
	check(utiljson.Unmarshal(text, &value))
	return value
}
