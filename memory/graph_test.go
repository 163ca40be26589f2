package memory_test

import (
	"bytes"
	"encoding/xml"
	"errors"
	"io"
	"os/exec"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gotorch/gotorch/memory"
	"github.com/gotorch/gotorch/torch"
)

func names(g *memory.GraphInfo) []string {
	var out []string
	for _, n := range g.Nodes {
		out = append(out, n.Name)
	}
	return out
}

func TestGraphListsWhatNodesSaved(t *testing.T) {
	torch.Scope(func() {
		w := torch.Ones(torch.Shape{10, 10}).RequiresGrad_() // 400 bytes
		x := torch.Ones(torch.Shape{5, 10})                  // 200 bytes
		y := x.MatMul(w).Exp().Sum()
		g := memory.Graph(y)
		// In Python, grad_fn and next_functions show the same names.
		assert.Equal(t, []string{"SumBackward0", "ExpBackward0", "MmBackward0", "AccumulateGrad"}, names(g))
		assert.Equal(t, []int{1}, g.Nodes[0].Next)
		require.Len(t, g.Nodes[1].Held, 1)
		exp := g.Nodes[1].Held[0]
		assert.Equal(t, memory.HeldSaved, exp.Kind)
		assert.Equal(t, torch.Shape{5, 10}, exp.Shape)
		assert.Equal(t, torch.Float32, exp.DType)
		assert.EqualValues(t, 200, exp.Bytes)
		require.Len(t, g.Nodes[2].Held, 1, "w is not differentiated by x, so only x is needed")
		require.Len(t, g.Nodes[3].Held, 1)
		assert.Equal(t, memory.HeldParameter, g.Nodes[3].Held[0].Kind)
		assert.EqualValues(t, 400, g.Bytes(memory.HeldSaved))
		assert.EqualValues(t, 800, g.Bytes())
		assert.False(t, g.More)
		assert.Contains(t, g.String(), "4 nodes of about 3.4 KiB hold 800 B, 400 B of it saved")

		y.Backward()
		g = memory.Graph(y)
		assert.Zero(t, g.Bytes(memory.HeldSaved), "the backward pass freed it")
		assert.True(t, g.Nodes[1].Released)
		assert.EqualValues(t, 400, g.Bytes(memory.HeldGradient))
	})
}

func TestGraphOfTensorsWithoutOne(t *testing.T) {
	torch.Scope(func() {
		x := torch.Ones(torch.Shape{2})
		assert.Empty(t, memory.Graph(x).Nodes)
		assert.Empty(t, memory.Graph().Nodes)
		x.SetRequiresGrad(true)
		assert.Equal(t, []string{"AccumulateGrad"}, names(memory.Graph(x)))
		c := torch.Ones(torch.Shape{2})
		require.NoError(t, c.Close())
		assert.ErrorIs(t, torch.Try(func() { memory.Graph(c) }), torch.ErrClosed)
		assert.ErrorIs(t, torch.Try(func() { memory.Graph(nil) }), torch.ErrNil)
	})
}

func TestGraphPictures(t *testing.T) {
	torch.Scope(func() {
		w := torch.Ones(torch.Shape{4, 4}).RequiresGrad_()
		h := w.Mul(w).Add(w.Exp()).Tanh().Sum()
		g := memory.Graph(h)
		var dot, svg bytes.Buffer
		require.NoError(t, g.WriteDOT(&dot))
		assert.Equal(t, len(g.Nodes), strings.Count(dot.String(), "fillcolor"))
		edges := 0
		for _, n := range g.Nodes {
			edges += len(n.Next)
		}
		assert.Equal(t, edges, strings.Count(dot.String(), "->"))
		if tool, err := exec.LookPath("dot"); err == nil {
			cmd := exec.Command(tool, "-Tsvg")
			cmd.Stdin = bytes.NewReader(dot.Bytes())
			require.NoError(t, cmd.Run(), "Graphviz reads it")
		}
		require.NoError(t, g.WriteSVG(&svg))
		assert.Equal(t, len(g.Nodes), strings.Count(svg.String(), "<rect"))
		assert.Contains(t, svg.String(), "TanhBackward0")
		for d := xml.NewDecoder(&svg); ; {
			if _, err := d.Token(); errors.Is(err, io.EOF) {
				break
			} else {
				require.NoError(t, err)
			}
		}
	})
}

func TestGraphOfManyNodes(t *testing.T) {
	torch.Scope(func() {
		x := torch.Ones(torch.Shape{1}).RequiresGrad_()
		y := x
		for range 3000 {
			y = y.AddScalar(1)
		}
		g := memory.Graph(y)
		assert.Len(t, g.Nodes, 3001)
		var svg bytes.Buffer
		require.NoError(t, g.WriteSVG(&svg))
		assert.Equal(t, 500, strings.Count(svg.String(), "<rect"))
	})
}
