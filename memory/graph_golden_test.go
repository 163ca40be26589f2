package memory_test

import (
	"encoding/json"
	"os"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gotorch/gotorch/memory"
	F "github.com/gotorch/gotorch/nn/functional"
	"github.com/gotorch/gotorch/torch"
)

// graphNode is a node as testdata/graph.json describes it.
type graphNode struct {
	Name  string
	Next  []int
	Saved [][2]json.RawMessage // shape and bytes
}

func ones(shape ...int64) *torch.Tensor { return torch.Ones(torch.Shape(shape)) }
func leaf(shape ...int64) *torch.Tensor { return ones(shape...).RequiresGrad_() }

// graphs contains the same expressions as testdata/make_graph.py.
var graphs = map[string]func() *torch.Tensor{
	"mlp": func() *torch.Tensor {
		x, w1, b1, w2 := ones(64, 20), leaf(20, 30), leaf(30), leaf(30, 5)
		return x.MatMul(w1).Add(b1).ReLU().MatMul(w2).LogSoftmax(1).Sum()
	},
	"shared": func() *torch.Tensor {
		y := leaf(7).Exp()
		return y.Mul(y).Add(y.Tanh()).Sum()
	},
	"numbers": func() *torch.Tensor { return leaf(3).MulScalar(2).AddScalar(1) },
	"views": func() *torch.Tensor {
		return leaf(6, 4).Transpose(0, 1).Select(0, 1).Sigmoid().Sum()
	},
	"joined": func() *torch.Tensor {
		a, b := leaf(2, 3), leaf(4, 3)
		return torch.Cat([]*torch.Tensor{a, b.Sin()}).Sum()
	},
	"norm": func() *torch.Tensor {
		return F.LayerNorm(leaf(8, 16), torch.Shape{16}, leaf(16), leaf(16), F.Eps(1e-5)).Sum()
	},
	"in_place": func() *torch.Tensor {
		return leaf(5).MulScalar(3).Exp_().Sum()
	},
}

// TestGraphIsThatOfPython compares nodes, edges and saved tensors with Python's grad_fn.
func TestGraphIsThatOfPython(t *testing.T) {
	text, err := os.ReadFile("testdata/graph.json")
	require.NoError(t, err)
	var want map[string][]graphNode
	require.NoError(t, json.Unmarshal(text, &want))
	require.Len(t, graphs, len(want))
	for name, expression := range graphs {
		t.Run(name, func(t *testing.T) {
			torch.Scope(func() {
				got := memory.Graph(expression()).Nodes
				require.Len(t, got, len(want[name]))
				for i, w := range want[name] {
					assert.Equal(t, w.Name, got[i].Name)
					assert.ElementsMatch(t, w.Next, got[i].Next, w.Name)
					assert.True(t, got[i].Known, w.Name)
					assert.Equal(t, pythonSaved(w), goSaved(t, got[i]), w.Name)
				}
			})
		})
	}
}

// pythonSaved lists saved tensors as text. It omits tensors that Python creates from
// numbers, because in Go the operator gets the number itself.
func pythonSaved(n graphNode) []string {
	var out []string
	for _, s := range n.Saved {
		if shape := string(s[0]); shape != "[]" {
			out = append(out, compact(shape)+" "+string(s[1]))
		}
	}
	slices.Sort(out)
	return out
}

func goSaved(t *testing.T, n memory.GraphNode) []string {
	var out []string
	for _, h := range n.Held {
		if h.Kind != memory.HeldSaved {
			continue
		}
		shape, err := json.Marshal([]int64(h.Shape))
		require.NoError(t, err)
		bytes, err := json.Marshal(h.Bytes)
		require.NoError(t, err)
		out = append(out, string(shape)+" "+string(bytes))
	}
	slices.Sort(out)
	return out
}

// compact removes the white space of JSON.
func compact(s string) string {
	var v []int64
	if json.Unmarshal([]byte(s), &v) != nil {
		return s
	}
	b, _ := json.Marshal(v)
	return string(b)
}
