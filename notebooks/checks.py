"""Checks of the kernel that the notebooks do not cover. Each check returns lines that describe
errors."""

from session import outputs

IMPORTS = """import (
	"errors"
	"fmt"

	"github.com/gotorch/gotorch/memory"
	"github.com/gotorch/gotorch/nn"
	"github.com/gotorch/gotorch/optim"
	"github.com/gotorch/gotorch/torch"
	"github.com/gotorch/gotorch/torch/profiler"
	"github.com/gotorch/gotorch/torch/safetensors"
)
"""

NET = """type Net struct {
	nn.Base
	fc *nn.Linear
}
func NewNet() *Net {
	n := new(Net)
	n.Init(n, nn.TypeName("Net"))
	n.fc = nn.NewLinear(3, 2, n.As("fc"))
	return n
}
func (n *Net) Forward(x *torch.Tensor) *torch.Tensor {
	return n.Call(x, func(x *torch.Tensor) *torch.Tensor { return n.fc.Forward(x) })
}
net := NewNet()"""


def compared(name, cells, got):
    for (source, want), text in zip(cells, got):
        if text != want:
            yield f"{name}: {source}\ngave\n{text}\nand not\n{want}"


def check(name, cells, interrupted=None):
    return list(compared(name, cells, outputs([source for source, _ in cells], interrupted)))


def interrupt():
    """Interrupting a cell ends it and keeps all declarations."""
    return check(
        "interrupt",
        [
            (IMPORTS + "x := torch.Arange(3)\nsteps := 0", ""),
            ('for { x.AddScalar(1).Close(); steps++; if steps == 1 { fmt.Println("begun") } }', "begun\n interrupted"),
            ("steps > 0", "true"),
            ("x.Sum().ItemInt()", "3"),
        ],
        interrupted=1,
    )


def mistakes():
    """An error is one message, and the kernel keeps running with all declarations."""
    return check(
        "mistakes",
        [
            (IMPORTS + "x := torch.Arange(3)", ""),
            ('panic("a word")', "a word"),
            ('panic(errors.New("an error"))', "an error"),
            ('fmt.Println("before")\nx.View(5)\nfmt.Println("after")',
             "before\n torch: View: shape '[5]' is invalid for input of size 3 [self: int64 (3,) cpu]"),
            ("var none *torch.Tensor\nnone.Sum()", "torch: Sum: argument self is a nil *Tensor"),
            ("type T struct{ a int }\nvar p *T\np.a", "invalid memory address or nil pointer dereference"),
            ('var m map[string]int\nm["a"] = 1', "assignment to entry in nil map"),
            ("zero := 0\n1 / zero", "runtime error: integer divide by zero"),
            ("x +", "repl.go:1:4: expected operand, found 'EOF'"),
            ("missing", "repl.go:1:1: undefined identifier: missing"),
            ("x.Missing()",
             'repl.go:1:1: type github.com/gotorch/gotorch/torch.Tensor has no field or method "Missing": x.Missing'),
            ('import "no/such/package"',
             "repl.go:1:8: error importing packages map[no/such/package:]: "
             'package "no/such/package" is not compiled into this kernel'),
            # more bytes than fit into a process's address space
            (
                "err := torch.Try(func() { torch.Zeros(torch.Shape{1 << 47}) })\nerrors.Is(err, torch.ErrOutOfMemory)",
                "true",
            ),
            ("memory.ResetPeak(torch.CPU)\ntorch.Zeros(torch.Shape{1 << 62})",
             "torch: Zeros: Storage size calculation overflowed with sizes=[4611686018427387904]"),
            ("x.Sum().ItemInt()", "3"),
        ],
    )


def prints():
    """Package fmt finds the methods of interpreted types."""
    tree = "Net(\n  (fc): Linear(in_features=3, out_features=2, bias=True)\n)"
    return check(
        "prints",
        [
            (IMPORTS + NET, ""),
            ("fmt.Println(net)", tree + "\n"),
            ("fmt.Println(nn.Module(net))", tree + "\n"),
            ('fmt.Sprintf("%v|%s", net, net)', tree + "|" + tree),
            ("net", tree),
            ("var none *Net\nfmt.Println(none)", "<nil>\n"),
            ("type Wrong struct{ n int }\n"
             'func (w Wrong) Error() string { return fmt.Sprint("wrong ", w.n) }\nfmt.Println(Wrong{3})',
             "wrong 3\n"),
            ("Wrong{4}", "wrong 4"),
            ('var err error = fmt.Errorf("outer: %w", Wrong{5})\nerr', "outer: wrong 5"),
            (
                "type Color int\nconst Red Color = 1\n"
                + 'func (c Color) String() string { return "red" }\nfmt.Printf("%v %d %5s %q\\n", Red, Red, Red, Red)',
                'red 1   red "red"\n',
            ),
            ("func two() (Color, error) { return Red, Wrong{6} }\nfmt.Println(two())", "red wrong 6\n"),
            ("fmt.Println(torch.Arange(2), 1.5, nil, []int{1})", "tensor([0, 1]) 1.5 <nil> [1]\n"),
        ],
    )


def start():
    """Declarations that once failed in some starts of the kernel: slices, maps and functions of
    pointers whose methods have such slices in their signatures."""
    return check(
        "start",
        [
            (IMPORTS + NET, ""),
            ("x := torch.Arange(2)\ntorch.Cat([]*torch.Tensor{x, x}, 0)", "tensor([0, 1, 0, 1])"),
            ("optim.NewSGD([]*torch.Tensor{torch.Ones(torch.Shape{1}, torch.RequiresGrad(true))}, optim.LR(1)) != nil",
             "true"),
            ("torch.TidyAll(func() []*torch.Tensor { return []*torch.Tensor{x.AddScalar(1)} })[0]", "tensor([1, 2])"),
            ('nn.NewStateDict(map[string]*torch.Tensor{"a": x}).Names()', "[a]"),
            ('several := func(ts ...*torch.Tensor) int { return len(ts) }\nseveral(x, x)', "2"),
            ("len(net.Parameters()) + len(net.NamedParameters()) + len(net.StateDict())", "6"),
            ("seq := nn.NewSequential(nn.Layer(net), nn.NewReLU())\nseq.Len()", "2"),
            ("safetensors.Save != nil && profiler.NewProfile() != nil", "true"),
        ],
    )
