package nn_test

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gotorch/gotorch/nn"
	"github.com/gotorch/gotorch/torch"
	"github.com/gotorch/gotorch/torch/safetensors"
)

// Loads tensors with other libraries' names and layouts: prefixes, transposed weights
// as in Conv1D, weights that must be joined, and weights that must be split.
func TestLoadOfOthersNames(t *testing.T) {
	scoped(t, func() {
		torch.ManualSeed(5)
		q, k, v := torch.Randn(torch.Shape{4, 4}), torch.Randn(torch.Shape{4, 4}), torch.Randn(torch.Shape{4, 4})
		fused, out := torch.Randn(torch.Shape{2, 6}), torch.Randn(torch.Shape{4, 4})
		sd := nn.StateDict{
			{"bert.0.attention.self.query.weight", q},
			{"bert.0.attention.self.key.weight", k},
			{"bert.0.attention.self.value.weight", v},
			{"bert.0.attention.output.weight", out},
			{"bert.position_ids", torch.Arange(3)},
			{"h.1.c_attn.weight", fused},
			{"extra", torch.Ones(torch.Shape{})},
		}
		options := []nn.LoadOption{
			nn.Concat{{
				To: "layers.*.in_proj_weight",
				From: []string{
					"bert.*.attention.self.query.weight", "bert.*.attention.self.key.weight",
					"bert.*.attention.self.value.weight",
				},
			}},
			nn.Transpose{"h.*.c_attn.weight"},
			nn.Split{{From: "h.*.c_attn.weight", To: []string{"heads.*.a.weight", "heads.*.b.weight"}}},
			nn.Rename{{"bert.*.attention.output.**", "layers.*.out_proj.**"}, {"bert.**", "**"}},
			nn.RenameFunc(func(name string) string {
				if name == "extra" {
					return ""
				}
				return name
			}),
			nn.Ignore{"**.position_ids"},
			nn.AllowMissing{"head.**"},
		}
		files := filepath.Join(t.TempDir(), "m.safetensors")
		require.NoError(t, safetensors.SaveFile(sd.Map(), files))
		f, err := safetensors.Open(files)
		require.NoError(t, err)
		defer f.Close()
		for _, src := range []nn.StateSource{sd, f} {
			for _, assign := range []nn.Assign{false, true} {
				attn := nn.NewMultiheadAttention(4, 2, nn.Bias(false))
				pair := nn.NewModuleDict().Add("a", nn.NewLinear(2, 3, nn.Bias(false))).Add("b",
					nn.NewLinear(2, 3, nn.Bias(false)))
				m := nn.NewModuleDict().Add("layers", nn.NewModuleDict().Add("0", attn)).
					Add("heads", nn.NewModuleDict().Add("1", pair)).Add("head", nn.NewLinear(2, 2))
				report, err := nn.LoadFrom(m, src, append(options, assign)...)
				require.NoError(t, err)
				get := m.StateDict().Get
				assert.True(t, get("layers.0.in_proj_weight").Equal(torch.Cat([]*torch.Tensor{q, k, v})))
				assert.True(t, get("layers.0.out_proj.weight").Equal(out))
				parts := fused.T().Split(3)
				assert.True(t, get("heads.1.a.weight").Equal(parts[0]))
				assert.True(t, get("heads.1.b.weight").Equal(parts[1]))
				assert.False(t, get("heads.1.a.weight").SharesStorage(get("heads.1.b.weight")),
					"one can be freed without the other")
				assert.Equal(t, "loaded 4 tensors, 4 under other names\nignored (2): bert.position_ids, extra\n"+
					"missing and not needed (2): head.weight, head.bias", report.String())
				assert.Equal(t, nn.Loaded{"layers.0.in_proj_weight", []string{sd[0].Name, sd[1].Name, sd[2].Name}},
					report.Loaded[0])
				require.NoError(t, m.Close())
			}
		}
	})
}

// If names do not match, the error lists the patterns that match nothing. An unused
// Transpose pattern is always an error, because no other check would find a square
// weight that was not transposed.
func TestPatternsThatMatchNothing(t *testing.T) {
	scoped(t, func() {
		m := nn.NewSequential(nn.NewLinear(2, 2, nn.Bias(false)), nn.NewLinear(2, 3, nn.Bias(false)))
		defer m.Close()
		sd := nn.StateDict{
			{"h.0.weight", torch.FromSlice([]float32{1, 2, 3, 4}, 2, 2)},
			{"h.1.weight", torch.Ones(torch.Shape{2, 3})},
		}
		file := &source{names: sd.Names(), make: map[string]func() *torch.Tensor{
			"h.0.weight": func() *torch.Tensor { return torch.FromSlice([]float32{1, 2, 3, 4}, 2, 2) },
			"h.1.weight": ones(2, 3),
		}}
		for _, src := range []nn.StateSource{sd, file} {
			_, err := nn.LoadFrom(m, src, nn.Rename{{"model.h.**", "**"}})
			require.ErrorIs(t, err, torch.ErrValue)
			require.ErrorContains(t, err,
				"unknown names: [h.0.weight, h.1.weight]; "+
					`patterns that match no name of the source: [Rename "model.h.**"]`)
			_, err = nn.LoadFrom(m, src, nn.Rename{{"h.**", "**"}}, nn.Transpose{"h.1.*"},
				nn.Split{{From: "z", To: []string{"y"}}}, nn.Concat{{To: "x", From: []string{"w"}}})
			require.NoError(t, err)
			require.NoError(t,
				m.LoadStateDict(nn.NewStateDict(map[string]*torch.Tensor{
					"0.weight": torch.Zeros(torch.Shape{2, 2}),
					"1.weight": torch.Zeros(torch.Shape{3, 2}),
				})))
			before := m.StateDict().String()

			report, err := nn.LoadFrom(m, src, nn.Rename{{"h.**", "**"}},
				nn.Transpose{"h.1.*", "h.*.weight", "0.weight"})
			require.ErrorIs(t, err, torch.ErrValue)
			require.ErrorContains(t, err, `patterns that match no name of the source: [Transpose "0.weight"]`)
			assert.Equal(t, []string{`Transpose "0.weight"`}, report.Unused)
			assert.Equal(t, before, m.StateDict().String())

			report, err = nn.LoadFrom(m, src, nn.Rename{{"h.**", "**"}, {"z.*", "*"}},
				nn.Transpose{"h.1.*", "0.weight"}, nn.Strict(false))
			require.NoError(t, err)
			assert.Equal(t, "loaded 2 tensors, 2 under other names\npatterns that match no name (2): Rename "+
				"\"z.*\", Transpose \"0.weight\"", report.String())
			assert.Equal(t, []float32{1, 2, 3, 4}, m.StateDict()[0].Tensor.Float32s())
			assert.Equal(t, torch.Shape{3, 2}, m.StateDict()[1].Tensor.Shape())

			_, err = nn.LoadFrom(m, src, nn.Rename{{"h.**", "**"}})
			require.ErrorIs(t, err, torch.ErrShape)
			require.ErrorContains(t, err,
				"sizes differ: 1.weight has shape (3, 2) in the module and (2, 3) in the state dict "+
					"(h.1.weight, transposed: use nn.Transpose)")
		}
	})
}

func TestRulesThatMakeNoSense(t *testing.T) {
	scoped(t, func() {
		m := nn.NewLinear(2, 2, nn.Bias(false))
		defer m.Close()
		sd := nn.StateDict{{"a.weight", torch.Ones(torch.Shape{2, 2})}, {"b.weight", torch.Ones(torch.Shape{2, 2})}}
		for says, o := range map[string]nn.LoadOption{
			"both a.weight and b.weight would be loaded as weight": nn.Rename{{"*.weight", "weight"}},
			`got "a*"`:                      nn.Ignore{"a*"},
			`got ""`:                        nn.Transpose{""},
			`"*.*" has more stars than "*"`: nn.Rename{{"*", "*.*"}},
			"weight needs c.weight, which is missing in the source": nn.Concat{{
				To:   "weight",
				From: []string{"a.weight", "c.weight"},
			}},
			"a.weight and b.weight are the same part of weight": nn.Concat{{
				To:   "weight",
				From: []string{"*.weight"},
			}},
			`"weight" has an empty From list`: nn.Concat{{To: "weight"}},
			`"a.weight" has an empty To list`: nn.Split{{From: "a.weight"}},
			"a.weight of shape (2, 2) cannot be cut along dimension 0 in": nn.Split{{
				From: "a.weight",
				To:   []string{"x", "y", "z"},
			}},
		} {
			err := torch.Try(func() {
				if err := m.LoadStateDict(sd, o); err != nil {
					panic(err)
				}
			})
			require.Error(t, err, says)
			assert.ErrorContains(t, err, says)
		}
	})
}

// Patterns match whole parts of names.
func TestPatterns(t *testing.T) {
	scoped(t, func() {
		for _, c := range []struct{ from, to, name, want string }{
			{"bert.**", "**", "bert.a.b", "a.b"},
			{"bert.**", "**", "bertha.a", "bertha.a"},
			{"**", "model.**", "a.b", "model.a.b"},
			{"**.gamma", "**.scale", "gamma", "scale"},
			{"**.gamma", "**.scale", "a.b.gamma", "a.b.scale"},
			{"h.*.mlp.**", "layers.*.**", "h.3.mlp.fc.bias", "layers.3.fc.bias"},
			{"a.*", "b", "a.x", "b"},
			{"a.*", "b", "a.x.y", "a.x.y"},
			{"**.x.**", "**", "a.x.x.b", "a.x"},
		} {
			sd := nn.StateDict{{c.name, torch.Ones(torch.Shape{})}}
			m := nn.NewLinear(1, 1)
			keys, err := nn.LoadStateDict(m, sd, nn.Rename{{c.from, c.to}}, nn.Strict(false))
			require.NoError(t, err)
			assert.Equal(t, []string{c.want}, keys.UnexpectedKeys, c.name)
			require.NoError(t, m.Close())
		}
	})
}

// A module's own memory is read before it is overwritten.
func TestChangedLoadOfItsOwnMemory(t *testing.T) {
	scoped(t, func() {
		m := nn.NewLinear(2, 2, nn.Bias(false))
		defer m.Close()
		require.NoError(t, m.LoadStateDict(nn.StateDict{{"weight", torch.FromSlice([]float32{1, 2, 3, 4}, 2, 2)}}))
		require.NoError(t, m.LoadStateDict(m.StateDict(), nn.Transpose{"weight"}))
		assert.Equal(t, []float32{1, 3, 2, 4}, m.Weight.Float32s())
	})
}

// Names and patterns of many parts take little time to compare, and errors list only some of many
// names, shortened.
func TestManyNamesOfManyParts(t *testing.T) {
	scoped(t, func() {
		m, x := nn.NewLinear(1, 1), torch.Ones(torch.Shape{1})
		defer m.Close()
		long := strings.Repeat("a.", 100_000) + "b"
		_, err := nn.LoadFrom(m, nn.StateDict{{long, x}}, nn.Ignore{"**.x.**.y.**", "**.c"},
			nn.Rename{{"**.z.**", "**.**"}})
		require.ErrorIs(t, err, torch.ErrValue)
		assert.ErrorContains(t, err, "unknown names: [a.a.")
		assert.Less(t, len(err.Error()), 1000)
		var sd nn.StateDict
		for i := range 5000 {
			sd = append(sd, nn.NamedTensor{Name: fmt.Sprint(i, long[:1000]), Tensor: x})
		}
		for _, opts := range [][]nn.LoadOption{nil, {nn.RenameFunc(func(string) string { return long })}} {
			_, err = nn.LoadFrom(m, sd, opts...)
			require.ErrorIs(t, err, torch.ErrValue)
			assert.ErrorContains(t, err, " more")
			assert.Less(t, len(err.Error()), 50_000)
		}
		report, err := nn.LoadFrom(m, sd, nn.Strict(false))
		require.NoError(t, err)
		assert.Len(t, report.UnexpectedKeys, 5000)
		assert.Less(t, len(report.String()), 20_000)
		assert.Contains(t, report.String(), "and 4900 more")
	})
}
