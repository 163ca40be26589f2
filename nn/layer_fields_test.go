package nn_test

import (
	"reflect"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gotorch/gotorch/nn"
	"github.com/gotorch/gotorch/torch"
)

// fieldNames maps Python's attributes to our fields where the usual conversion would give
// a different name.
var fieldNames = map[string]string{
	"keepdim": "KeepDim", "in1_features": "In1Features", "in2_features": "In2Features",
}

// fieldsLeftOut lists attributes without a field, with the reason.
var fieldsLeftOut = map[string]string{
	"ReLU6.min_val": "it is 0", "ReLU6.max_val": "it is 6",
	"PReLU.init":                  "Init is a method of every module; ResetParameters uses it",
	"AlphaDropout.inplace":        "it has no effect",
	"FeatureAlphaDropout.inplace": "it has no effect",

	"AdaptiveLogSoftmaxWithLoss.in_features":    sizesOfParts,
	"AdaptiveLogSoftmaxWithLoss.n_classes":      sizesOfParts,
	"AdaptiveLogSoftmaxWithLoss.cutoffs":        sizesOfParts,
	"AdaptiveLogSoftmaxWithLoss.div_value":      sizesOfParts,
	"AdaptiveLogSoftmaxWithLoss.head_bias":      sizesOfParts,
	"AdaptiveLogSoftmaxWithLoss.shortlist_size": sizesOfParts,
	"AdaptiveLogSoftmaxWithLoss.n_clusters":     sizesOfParts,
	"AdaptiveLogSoftmaxWithLoss.head_size":      sizesOfParts,
}

const sizesOfParts = "it is used only to make Head and Tail"

// The attributes of Python's layers are fields of the Go layers, with the same values.
// Assigning to them changes the printed form or the behavior.
func TestFields(t *testing.T) {
	goldens := goldens(t)
	for _, m := range members {
		for attribute, want := range goldens[m.name].Attributes {
			kind, _, _ := strings.Cut(m.name, "/")
			if fieldsLeftOut[kind+"."+attribute] != "" {
				continue
			}
			t.Run(m.name+"."+attribute, func(t *testing.T) {
				scoped(t, func() { checkField(t, m, fieldName(attribute), want) })
			})
		}
	}
}

func fieldName(attribute string) string {
	if n := fieldNames[attribute]; n != "" {
		return n
	}
	var s strings.Builder
	for w := range strings.SplitSeq(attribute, "_") {
		s.WriteString(strings.ToUpper(w[:1]) + w[1:])
	}
	return s.String()
}

func checkField(t *testing.T, m member, name string, want any) {
	p := new(holder)
	p.Init(p)
	defer p.Close()
	shows := func(change func(field reflect.Value)) string {
		torch.ManualSeed(3)
		module := m.make(p)
		defer func() { _ = module.ModuleBase().Close() }()
		field := reflect.ValueOf(module).Elem().FieldByName(name)
		require.True(t, field.IsValid(), "no field %s", name)
		change(field)
		return module.String() + "\n" + describeBehavior(p, module, m.in)
	}
	before := shows(func(field reflect.Value) { assert.Equal(t, want, plainly(field)) })
	after := shows(func(field reflect.Value) {
		switch f := field.Addr().Interface().(type) {
		case *float64:
			*f += 9
		case **float64:
			*f = new(9.0)
		case *int64:
			*f++
		case **int64:
			*f = new(int64(2))
		case *bool:
			*f = !*f
		case *torch.Shape:
			*f = torch.Shape{7}
		case *nn.Approximate:
			*f = "other"
		case *nn.Reduction:
			*f = "other"
		case *nn.Mode:
			*f = "other"
		default:
			assert.Fail(t, "a field of another type", "%T", f)
		}
	})
	assert.NotEqual(t, before, after, "what is assigned shows nowhere")
}

// plainly converts a field to the JSON form of Python's attribute.
func plainly(field reflect.Value) any {
	switch f := field.Interface().(type) {
	case *float64:
		if f == nil {
			return nil
		}
		return *f
	case *int64:
		if f == nil {
			return nil
		}
		return float64(*f)
	case int64:
		return float64(f)
	case torch.Shape:
		all := []any{}
		for _, n := range f {
			all = append(all, float64(n))
		}
		return all
	case nn.Approximate:
		return string(f)
	case nn.Mode:
		return string(f)
	case nn.Reduction:
		return string(f)
	default:
		return f
	}
}

// A copy has the original's field values, and prints its own values.
func TestFieldsOfCopies(t *testing.T) {
	scoped(t, func() {
		m := nn.NewSequential(nn.NewBatchNorm1d(3), nn.NewLeakyReLU(0.01), nn.NewDropout(0.5))
		defer m.Close()
		bn, act, drop := m.At(0).(*nn.BatchNorm1d), m.At(1).(*nn.LeakyReLU), m.At(2).(*nn.Dropout)
		bn.Momentum, act.NegativeSlope, act.Inplace, drop.P = new(0.5), 0.25, true, 0.125
		twin := nn.DeepCopy(m).(*nn.Sequential)
		defer twin.Close()
		assert.Equal(t, m.String(), twin.String())
		*bn.Momentum, act.NegativeSlope = 0.75, 2
		assert.Contains(t, m.String(), "momentum=0.75")
		assert.Contains(t, m.String(), "negative_slope=2.0, inplace=True")
		assert.Contains(t, twin.String(), "momentum=0.5")
		assert.Contains(t, twin.String(), "negative_slope=0.25, inplace=True")
		assert.Contains(t, twin.String(), "p=0.125")
	})
}
