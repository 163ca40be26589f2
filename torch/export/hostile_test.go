package export_test

import (
	"archive/zip"
	"bytes"
	"errors"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gotorch/gotorch/torch"
	"github.com/gotorch/gotorch/torch/export"
	"github.com/gotorch/gotorch/torch/serialization"
	"github.com/gotorch/gotorch/torchtest"
)

// changed returns an archive of testdata in which one entry has another text.
func changed(t testing.TB, name, entry string, change func(text string) string) []byte {
	t.Helper()
	r, err := zip.OpenReader(filepath.Join("testdata", name+".pt2"))
	require.NoError(t, err)
	defer func() { require.NoError(t, r.Close()) }()
	var b bytes.Buffer
	w := zip.NewWriter(&b)
	found := false
	for _, f := range r.File {
		in, err := f.Open()
		require.NoError(t, err)
		data, err := io.ReadAll(in)
		require.NoError(t, err)
		if strings.HasSuffix(f.Name, "/"+entry) {
			found = true
			text := change(string(data))
			require.NotEqual(t, string(data), text, "the change changes nothing")
			data = []byte(text)
		}
		out, err := w.CreateHeader(&zip.FileHeader{Name: f.Name, Method: zip.Store})
		require.NoError(t, err)
		_, err = out.Write(data)
		require.NoError(t, err)
	}
	require.True(t, found, entry)
	require.NoError(t, w.Close())
	return b.Bytes()
}

func loadBytes(data []byte) (*export.Module, error) {
	return export.LoadFrom(bytes.NewReader(data), int64(len(data)))
}

// A file that is damaged or asks for too much is an error that says why, and leaves nothing
// behind.
func TestHostile(t *testing.T) {
	defer torchtest.CheckLeaks(t)()
	const program, weights = "models/model.json", "data/weights/model_weights_config.json"
	replace := func(old, new string) func(string) string {
		return func(s string) string { return strings.Replace(s, old, new, 1) }
	}
	for name, c := range map[string]struct {
		of, entry string
		change    func(string) string
		kind      error
		says      string
	}{
		"no JSON": {"mlp", program, func(string) string { return "{" }, torch.ErrFormat, "is not the JSON"},
		"version": {
			"mlp", program, replace(`"major": 8`, `"major": 9`),
			torch.ErrUnsupported, "version 9 of the format",
		},
		"unknown operator": {
			"mlp", program, replace("aten.relu.default", "aten.relax.default"),
			torch.ErrUnsupported, "there is no operator aten::relax",
		},
		"another library": {
			"mlp", program, replace("aten.relu.default", "mine.relu.default"),
			torch.ErrUnsupported, "mine::relu",
		},
		"overload": {
			"mlp", program, replace("mul.Tensor", "mul.Tenser"),
			torch.ErrUnsupported, "aten::mul.Tenser",
		},
		"no operator": {
			"mlp", program, replace("torch.ops.aten.relu.default", "os.system"),
			torch.ErrUnsupported, "node \"relu\", os.system, from export.py line",
		},
		"function": {
			"sizes", program, replace("_operator.floordiv", "_operator.system"),
			torch.ErrUnsupported, "the function _operator.system is not supported",
		},
		"argument": {
			"mlp", program, replace(`"name": "other"`, `"name": "others"`),
			torch.ErrFormat, "no argument others in aten::mul.Tensor",
		},
		"value": {
			"mlp", program,
			replace(`"as_tensor": {"name": "linear"}}, "kind"`, `"as_tensor": {"name": "nothing"}}, "kind"`),
			torch.ErrFormat, "not computed before",
		},
		"dtype": {
			"kinds", program, replace(`"as_scalar_type": 8`, `"as_scalar_type": 99`),
			torch.ErrFormat, "unknown scalar_type 99",
		},
		"two members": {
			"mlp", program, replace(`{"as_int": 2}`, `{"as_int": 2, "as_bool": true}`),
			torch.ErrFormat, "a union of both",
		},
		"structure": {
			"mlp", program, replace(`builtins.tuple`, `os.tuple`),
			torch.ErrFormat, "the class \"os.tuple\"",
		},
		"deep structure": {"mlp", program, func(s string) string {
			deep := strings.Repeat(`{\"type\": \"builtins.list\", \"context\": \"\", \"children_spec\": [`, 1000) +
				strings.Repeat("]}", 1000)
			spec := regexp.MustCompile(`"out_spec": "(\\.|[^"\\])*"`)
			return spec.ReplaceAllLiteralString(s, `"out_spec": "[1, `+deep+`]"`)
		}, torch.ErrFormat, "nested too deeply"},
		"control flow": {
			"control", program, replace("higher_order.cond", "higher_order.scan"),
			torch.ErrUnsupported, "control flow \"scan\"",
		},
		"many objects": {"mlp", program, func(s string) string {
			return strings.Replace(s, `"nodes": [`, `"nodes": [`+strings.Repeat("{},", 100_000), 1)
		}, torch.ErrFormat, "more objects than a program of its size"},
		"many nulls": {"mlp", program, func(s string) string {
			return strings.Replace(s, `"nodes": [`, `"nodes": [`+strings.Repeat("null,", 100_000), 1)
		}, torch.ErrFormat, "more objects than a program of its size"},
		"many values": {"mlp", program, func(s string) string {
			many := `"out_spec": "[1, {\"type\": \"builtins.list\", \"children_spec\": [` +
				strings.Repeat("{}, ", 100_000)
			return strings.Replace(s, `"out_spec": "`, many+`{}]}]", "x": "`, 1)
		}, torch.ErrFormat, "more objects than one of its size"},
		"deep graphs": {"mlp", program, func(s string) string {
			const begin = `{"name": "b", "target": "torch.ops.higher_order.wrap_with_set_grad_enabled", "inputs": [` +
				`{"arg": {"as_bool": true}}, {"arg": {"as_graph": {"graph": {"nodes": [`
			deep := strings.Repeat(begin, 30) + strings.Repeat("]}}}}]}", 30) + ","
			return strings.Replace(s, `"nodes": [`, `"nodes": [`+deep, 1)
		}, torch.ErrFormat, "graphs that are nested too deeply"},
		"deep number": {
			"mlp", program, replace(`{"as_int": 2}`, `{"as_sym_int": {"as_sym_int": {"as_int": 2}}}`),
			torch.ErrFormat, `an element "as_sym_int"`,
		},
		"other value": {
			"mlp", program, replace(`{"as_int": 2}`, `{"as_operator": "x"}`),
			torch.ErrUnsupported, `the kind "as_operator" is not supported`,
		},
		"object": {
			"mlp", program, replace(`"arg": {"as_tensor": {"name": "x"}}}`, `"arg": {"as_custom_obj": {"name": "x"}}}`),
			torch.ErrUnsupported, "an object of a C++ class",
		},
		"module for tensor": {
			"conv_train", program, func(s string) string { return strings.ReplaceAll(s, ",body.3,", ",head.weight,") },
			torch.ErrFormat, `module "head.weight": "weight" is the name of a parameter`,
		},
		"unnamed module": {
			"conv_train", program, func(s string) string { return strings.ReplaceAll(s, ",body.3,", ",head..x,") },
			torch.ErrFormat, `module "head..x"`,
		},
		"deep modules": {"conv_train", program, func(s string) string {
			return strings.ReplaceAll(s, ",body.3,", ","+strings.Repeat("a.", 1000)+"b,")
		}, torch.ErrFormat, "nested too deeply"},
		"missing tensor": {
			"mlp", weights, replace(`"fc1.bias"`, `"fc1.bios"`),
			torch.ErrFormat, "no tensor \"fc1.bias\"",
		},
		"missing entry": {
			"mlp", weights, replace(`weight_0`, `weight_9`),
			torch.ErrFormat, "has no \"data/weights/weight_9\"",
		},
		"parent": {"mlp", weights, replace(`weight_0`, `../weights/weight_0`), torch.ErrFormat, "has no"},
		"large": {
			"mlp", weights, replace(`"sizes": [{"as_int": 8}`, `"sizes": [{"as_int": 9}`),
			torch.ErrFormat, "it needs 36 elements at 0, but there are 32",
		},
		"overflow": {
			"mlp", weights, replace(`"sizes": [{"as_int": 8}`, `"sizes": [{"as_int": 9223372036854775807}`),
			torch.ErrFormat, "too large",
		},
		"negative": {
			"mlp", weights, replace(`"sizes": [{"as_int": 8}`, `"sizes": [{"as_int": -8}`),
			torch.ErrFormat, "size -8",
		},
		"offset": {
			"mlp", weights, replace(`"storage_offset": {"as_int": 0}`, `"storage_offset": {"as_int": -1}`),
			torch.ErrFormat, "-1",
		},
		"no dtype": {
			"mlp", weights, replace(`"dtype": 7`, `"dtype": 77`),
			torch.ErrUnsupported, "unknown dtype 77",
		},
		"integers": {
			"mlp", weights, replace(`"dtype": 7`, `"dtype": 4`),
			torch.ErrFormat, "can require gradients",
		},
	} {
		m, err := loadBytes(changed(t, c.of, c.entry, c.change))
		assert.Nil(t, m, name)
		var e *torch.FileError
		if !assert.ErrorAs(t, err, &e, name) {
			continue
		}
		require.ErrorIs(t, err, c.kind, name)
		assert.ErrorContains(t, err, c.says, name)
	}
}

func TestOtherFiles(t *testing.T) {
	defer torchtest.CheckLeaks(t)()
	_, err := export.Load(filepath.Join("testdata", "none.pt2"))
	require.ErrorIs(t, err, os.ErrNotExist)
	_, err = export.Load(filepath.Join("testdata", "mlp.pt"))
	require.ErrorIs(t, err, torch.ErrUnsupported)
	_, err = export.Load(filepath.Join("testdata", "export.py"))
	require.ErrorIs(t, err, torch.ErrFormat)
	_, err = export.LoadFrom(nil, 0)
	require.ErrorIs(t, err, torch.ErrNil)
	_, err = export.Load(filepath.Join("testdata", "mlp.pt2"), export.ModelName("other"))
	require.ErrorIs(t, err, torch.ErrNotFound)
	assert.ErrorContains(t, err, `the programs are ["model"]`)
	whole, err := os.ReadFile(filepath.Join("testdata", "mlp.pt2"))
	require.NoError(t, err)
	for n := 2; n < len(whole); n += 97 {
		_, err := loadBytes(whole[:n])
		require.ErrorIs(t, err, torch.ErrTruncated, n)
	}
}

// Each input either loads or gives a *FileError. After an error, no tensor is open.
func FuzzLoad(f *testing.F) {
	for _, name := range []string{"mlp", "control", "structures"} {
		data, err := os.ReadFile(filepath.Join("testdata", name+".pt2"))
		require.NoError(f, err)
		f.Add(data)
	}
	f.Fuzz(func(t *testing.T, data []byte) { loaded(t, data) })
}

// FuzzProgram fuzzes programs in archives with valid checksums.
func FuzzProgram(f *testing.F) {
	for _, name := range []string{"mlp", "control", "loop", "sizes", "kinds"} {
		changed(f, name, "models/model.json", func(s string) string {
			f.Add(s)
			return ""
		})
	}
	f.Fuzz(func(t *testing.T, text string) {
		loaded(t, changed(t, "kinds", "models/model.json", func(string) string { return text + " " }))
	})
}

func loaded(t *testing.T, data []byte) {
	live := torch.NumLiveTensors()
	m, err := loadBytes(data)
	var e *torch.FileError
	if err != nil {
		if !errors.As(err, &e) || m != nil {
			t.Fatalf("%T %v", err, err)
		}
	} else if err := m.Close(); err != nil {
		t.Fatal(err)
	}
	if n := torch.NumLiveTensors(); n != live {
		t.Fatalf("%d tensors left", n-live)
	}
}

// old returns an archive of testdata in the form in which PyTorch 2.7 saved it.
func old(t testing.TB, name string) []byte {
	t.Helper()
	var program string
	changed(t, name, "models/model.json", func(s string) string {
		program = s
		return s + " "
	})
	m := load(t, name)
	weights := serialization.NewDict()
	for _, n := range m.StateDict() {
		weights.Set(n.Name, n.Tensor)
	}
	constants := serialization.NewDict()
	for _, b := range m.NamedBuffers() {
		if _, saved := weights.Get(b.Name); !saved {
			constants.Set(b.Name, b.Tensor)
		}
	}
	var b bytes.Buffer
	w := zip.NewWriter(&b)
	for entry, v := range map[string]any{
		"serialized_exported_program.json": program, "serialized_state_dict.pt": weights,
		"serialized_constants.pt": constants, "version": "8.8",
	} {
		out, err := w.CreateHeader(&zip.FileHeader{Name: entry, Method: zip.Store})
		require.NoError(t, err)
		if text, ok := v.(string); ok {
			_, err = io.WriteString(out, text)
		} else {
			err = serialization.SaveTo(out, v)
		}
		require.NoError(t, err)
	}
	require.NoError(t, w.Close())
	require.NoError(t, m.Close())
	return b.Bytes()
}

// Files of PyTorch 2.7 have other entries.
func TestOldFiles(t *testing.T) {
	defer torchtest.CheckLeaks(t)()
	m, was := func() (a, b *export.Module) {
		a, err := loadBytes(old(t, "conv_eval"))
		require.NoError(t, err)
		return a, load(t, "conv_eval")
	}()
	torch.Scope(func() {
		x := torch.Randn(torch.Shape{2, 1, 8, 8})
		assert.True(t, was.Forward(x).Equal(m.Forward(x)))
	})
	assert.Equal(t, was.StateDict().Names(), m.StateDict().Names())
	require.NoError(t, m.Close())
	require.NoError(t, was.Close())
}
