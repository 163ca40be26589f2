package torch_test

import (
	"encoding/json"
	"math"
	"os"
	"reflect"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gotorch/gotorch/internal/sanitized"
	"github.com/gotorch/gotorch/torch"
)

// mistakes cause errors that need more than one method call.
var mistakes = []func(){
	func() { // a freed graph
		y := leaf(2).Square().Sum()
		y.Backward()
		y.Backward()
	},
	func() { // a saved tensor modified in place
		y := leaf(2).Exp()
		z := y.Mul(y).Sum()
		torch.NoGrad(func() { y.AddScalar_(1) })
		z.Backward()
	},
	func() {
		var x *torch.Tensor
		torch.InferenceMode(func() { x = torch.Ones(torch.Shape{2}) })
		leaf(2).Mul(x).Sum().Backward()
	},
	func() { torch.Grad([]*torch.Tensor{leaf(2).Sum()}, []*torch.Tensor{torch.Ones(torch.Shape{2})}) },
	func() { leaf(2).Mul(leaf(2)).Backward() },
	func() { torch.Ones(torch.Shape{2}).MatMul(torch.Ones(torch.Shape{2}, torch.Meta)) },
	func() { torch.Ones(torch.Shape{2}, torch.Meta).Item() },
	func() { torch.Einsum("ij,?", torch.Ones(torch.Shape{2, 2}), torch.Ones(torch.Shape{2, 2})) },
	func() { torch.Ones(torch.Shape{4}).AsStrided([]int64{9}, []int64{1}, 0) },
	func() { torch.Ones(torch.Shape{2, 2}).SetData(torch.Ones(torch.Shape{2, 2}, torch.Int64)) },
	func() { torch.Empty(torch.Shape{1 << 62}) },
	func() { torch.Ones(torch.Shape{1}).Expand(1<<40, 1<<40) },
	func() { torch.Ones(torch.Shape{3}).BinCount() },
	func() { torch.Full(torch.Shape{2, 2}, math.NaN(), torch.Float32).SVD() },
}

// provoked returns libtorch's messages for invalid calls, with their kinds.
func provoked(t *testing.T) map[string]string {
	quiet(t)
	found, ours := map[string]string{}, map[string]bool{}
	tell := func(err error) {
		var te *torch.Error
		require.ErrorAs(t, err, &te)
		m, kind := te.Message, kindName[te.Kind]
		other, known := found[m]
		if !known && !ours[m] {
			// Looking up the trace takes time.
			ours[m] = te.Trace() == m // gotorch's own error, which has no trace
		}
		switch {
		case ours[m] || kind == other:
			return
		case known && !strings.Contains(other, kind):
			kind = min(kind, other) + " or " + max(kind, other) // the kind depends on the type of libtorch's exception
		case known:
			return
		}
		found[m] = kind
	}
	typ := reflect.TypeFor[*torch.Tensor]()
	for i := range typ.NumMethod() {
		method := typ.Method(i)
		if notCalled[method.Name] || cannotFail["Tensor."+method.Name] != "" || strings.HasPrefix(method.Name, "CUDA") {
			continue
		}
		for _, make := range receiversOfBadCalls {
			torch.Scope(func() { callBadly(make(), method, tell) })
		}
	}
	for _, fn := range mistakes {
		torch.Scope(func() {
			err := torch.Try(fn)
			if err != nil {
				tell(err)
			}
		})
	}
	return found
}

// Most of libtorch's errors have no kind, so kinds are derived from words in their
// messages, which change between versions. The golden file has the messages of one
// version. UPDATE_GOLDEN=1 rewrites it, and the difference shows what has changed.
func TestKindsOfMessages(t *testing.T) {
	if sanitized.On {
		t.Skip("it calls methods one after another, which other tests do too")
	}
	const golden = "testdata/error_kinds.json"
	found := provoked(t)
	if os.Getenv("UPDATE_GOLDEN") != "" {
		text, err := json.MarshalIndent(map[string]any{"version": torch.Version(), "kinds": found}, "", " ")
		require.NoError(t, err)
		require.NoError(t, os.WriteFile(golden, append(text, '\n'), 0o644))
	}
	text, err := os.ReadFile(golden)
	require.NoError(t, err)
	var want struct {
		Version string
		Kinds   map[string]string
	}
	require.NoError(t, json.Unmarshal(text, &want))
	if torch.Version() != want.Version {
		t.Skipf("the messages are those of libtorch %s", want.Version)
	}
	known := 0
	for message, kind := range found {
		switch was, ok := want.Kinds[message]; {
		case ok:
			known++
			assert.Equal(t, was, kind, "%q", message)
		default:
			// A new message needs a kind.
			assert.NotEqual(t, "ErrRuntime", kind, "%q", message)
		}
	}
	// Some of libtorch's messages disappear when methods check more themselves.
	assert.Greater(t, known, len(want.Kinds)*9/10, "messages that are still provoked")
}
