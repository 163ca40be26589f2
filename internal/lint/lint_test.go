package lint_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gotorch/gotorch/internal/lint"
)

func TestTheTreeKeepsTheRules(t *testing.T) {
	files := 0
	eachFile(t, "", []string{"testdata"}, func(path string) {
		if filepath.Ext(path) != ".go" {
			return
		}
		src, err := os.ReadFile(filepath.Join(root, path))
		require.NoError(t, err)
		wrong, err := lint.Check(path, src)
		require.NoError(t, err)
		assert.Empty(t, wrong)
		files++
	})
	assert.Greater(t, files, 300, "the walk has seen the tree")
}

func TestCheck(t *testing.T) {
	for _, c := range []struct{ path, src, says string }{
		{"torch/a.go", `import "C"`, `imports "C"`},
		{"torch/a_test.go", `import "C"`, `imports "C"`},
		{"examples/x/a.go", `import "C"`, `imports "C"`},
		{"cgotorch/mem/a.go", `import "C"`, ""},
		{"torch/data/codecs/turbojpeg/a.go", `import "C"`, ""},
		{"torch/data/codecs/webp/a.go", `import "C"`, `imports "C"`},
		{"torch/a.go", `import "github.com/gotorch/gotorch/nn"`, "it belongs to a higher layer"},
		{"torch/a.go", `import "github.com/gotorch/gotorch/torch/aten"`, "it belongs to a higher layer"},
		{"torch/aten/a.go", `import "github.com/gotorch/gotorch/torch"`, ""},
		{"internal/native/gate/a.go", `import "github.com/gotorch/gotorch/torch"`, "it belongs to a higher layer"},
		{"internal/opt/a.go", `import "github.com/gotorch/gotorch/torch"`, ""},
		{"cgotorch/a.go", `import "github.com/gotorch/gotorch/internal/native/gate"`, "it belongs to a higher layer"},
		{"nn/a.go", `import "github.com/gotorch/gotorch/torchtest"`, "it belongs to a higher layer"},
		{"nn/a_test.go", `import "github.com/gotorch/gotorch/torchtest"`, ""},
		{"nn/nnutil/a.go", `import "github.com/gotorch/gotorch/optim"`, "how they are trained"},
		{"cgotorch/aten/a.go", `import "github.com/gotorch/gotorch/cgotorch"`, "a minute of C++"},
		{"cgotorch/aten/a.go", `import "github.com/gotorch/gotorch/cgotorch/abi"`, ""},
		{"memory/internal/leak/a.go", `import "github.com/gotorch/gotorch/memory"`, "it belongs to a higher layer"},
		{"memory/internal/viz/a.go", `import "github.com/gotorch/gotorch/memory"`, ""},
		{"memory/internal/groups/a.go", `import "github.com/gotorch/gotorch/torch"`, "nothing of tensors"},
		{"memory/internal/steps/a.go", `import "github.com/gotorch/gotorch/memory/internal/units"`, ""},
		{"memory/a.go", `import "github.com/gotorch/gotorch/nn"`, "knows tensors only"},
		{"torch/data/a.go", `import "github.com/gotorch/gotorch/nn/functional"`, "knows tensors only"},
		{"torch/data/transforms/a.go", `import "github.com/gotorch/gotorch/nn/functional"`, ""},
		{"torch/data/transforms/a.go", `import "github.com/gotorch/gotorch/nn"`, "knows tensors only"},
		{"nn/a.go", "import \"runtime\"\n\nfunc f(x *int) { runtime.SetFinalizer(x, nil) }", "AddCleanup"},
		{"torch/batching/a.go", "func New() *Batcher { return nil }", "New and the name of the type"},
		{"torch/batching/a.go", "func NewBatcher() *Batcher { return nil }\n\nfunc (b *Batcher) New() {}", ""},
		{"memory/internal/steps/a.go", "func New() *Log { return nil }", ""},
		{"torch/a_test.go", "func f() { defer torchtest.CheckLeaks(t)() }", ""},
		{"torch/a_test.go", "func f() { torchtest.CheckLeaks(t) }", "drops the check"},
		{"torch/a_test.go", "func f() { defer noGoroutines(t) }", "drops the check"},
		{"torch/a_test.go", "func f() { check := torchtest.CheckLeaks(t); check() }", ""},
		{"torch/a.go", crossing("r := BeginRaw(op); return r.Tensor(aten.Relu(r.Ctx, h))"), ""},
		{
			"torch/a.go", crossing("r := BeginRaw(op, t); return r.Tensor(aten.Relu(r.Ctx, t.Handle()))"),
			"calls t.Handle",
		},
		{
			"torch/a.go", crossing("r := BeginRaw(op, t); h := t.Handle(); return r.Tensor(aten.Relu(r.Ctx, h))"),
			"calls t.Handle",
		},
		{
			"torch/a.go", crossing("r := BeginRaw(op); n := v.(int64); return r.Tensor(aten.Sum(r.Ctx, h, n))"),
			"type assertion",
		},
		{
			"torch/a.go", crossing("r := BeginRaw(op); if bad { panic(bad) }; return r.Tensor(aten.Relu(r.Ctx, h))"),
			"calls panic",
		},
		{
			"torch/a.go", crossing("r := BeginRaw(op); if bad { return nil }; return r.Tensor(aten.Relu(r.Ctx, h))"),
			"not reached",
		},
		{"torch/a.go", crossing("r := BeginRaw(op); return done(r.Tensor(aten.Relu(r.Ctx, h)))"), ""},
		{"torch/a.go", crossing("r := BeginRaw(op); if ok { r.End() }"), "not in the block"},
		{"torch/a.go", crossing("r := BeginRaw(op); if ok { r.End() } else { r.Status(aten.Relu_(r.Ctx, h)) }"), ""},
		{"torch/a.go", crossing("r := BeginRaw(op); switch { case ok: r.End() }"), "not in the block"},
		{"torch/a.go", crossing("r := BeginRaw(op); switch { case ok: r.End(); default: r.End() }"), ""},
		{"torch/a.go", crossing("if ok { r := BeginRaw(op); ret = aten.Relu(r.Ctx, h) }"), "not in the block"},
		{"torch/a.go", crossing("r := BeginRaw(op); mu.Lock(); r.Status(aten.Relu_(r.Ctx, h))"), "calls mu.Lock"},
		{"torch/a.go", crossing("r := BeginRaw(op); x := <-ch; r.Status(aten.Relu_(r.Ctx, x))"), "a receive"},
		{"torch/a.go", crossing("r := BeginRaw(op); res, st := aten.Max(r.Ctx, h); r.Status(st); return " +
			"r.Wrap(res[0])"), ""},
		{
			"nn/a.go", crossing("r := torch.BeginRaw(op); return r.Tensor(aten.Relu(r.Ctx, orNil(ok, h)), pick(t))"),
			"calls pick",
		},
		{
			"torch/a.go", crossing("h := t.handle(op, 0); r := BeginRaw(op); return r.Tensor(aten.Relu(r.Ctx, h))"),
			"does not get t",
		},
		{
			"torch/a.go", crossing("h := t.handle(op, 0); r := BeginRaw(op, t); return r.Tensor(aten.Relu(r.Ctx, h))"),
			"",
		},
		{"torch/a.go", crossing("u.handle(op, 1); h := t.handle(op, 0); r := BeginRaw(op, t); return " +
			"r.Tensor(aten.Relu(r.Ctx, h))"), ""},
		{"torch/aten/a.go", crossing("h := handle(op, 0, t); r := torch.BeginRaw(op); return " +
			"r.Tensor(aten.Relu(r.Ctx, h))"), "does not get t"},
		{"nn/a.go", crossing("hs := torch.Handles(op, ts, false); r := torch.BeginRaw(op, t); return " +
			"r.Tensor(aten.Cat(r.Ctx, hs))"), "does not get ts"},
		{"nn/a.go", crossing("hs := torch.Handles(op, ts, false); r := torch.BeginRaw(op, t); r.Use(ts...); return " +
			"r.Tensor(aten.Cat(r.Ctx, hs))"), ""},
		{"nn/a.go", crossing("return call(op, t, func(cx abi.Ctx, h abi.Tensor) abi.Ret { return aten.Add(cx, h, " +
			"number(v)) })"), "calls number"},
		{
			"internal/render/a.go", crossing("p.host.Call(func(cx abi.Ctx) abi.Status { return pick(cx, h) })"),
			"calls pick",
		},
		{
			"internal/render/a.go",
			crossing("p.host.Call(func(cx abi.Ctx) abi.Status { n, st = f(cx, h); return st })"),
			"",
		},
	} {
		wrong, err := lint.Check(c.path, "package p\n\n"+c.src)
		require.NoError(t, err)
		if c.says == "" {
			assert.Empty(t, wrong, "%s: %s", c.path, c.src)
		} else if assert.Len(t, wrong, 1, "%s: %s", c.path, c.src) {
			assert.Contains(t, wrong[0], c.says)
		}
	}
}

// crossing returns Go source code: a function with this body, and an import of the native
// package.
func crossing(body string) string {
	return "import \"github.com/gotorch/gotorch/cgotorch/aten\"\n\nfunc f() {" + body + "}"
}
