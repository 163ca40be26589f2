package aoti

import (
	"fmt"
	"runtime"
	"strings"

	"github.com/gotorch/gotorch/internal/opt"
	"github.com/gotorch/gotorch/torch"
)

// A LoadOption says how [Load] loads: [ModelName], [Runners], [SingleThreaded], [Device],
// [Inputs].
//
//gotorch:options ModelName Runners SingleThreaded Device Inputs
type LoadOption interface{ loadOption() }

// ModelName is the model's name in the package, model_name in Python. The default, and "", is
// "model".
type ModelName string

// Runners is how many calls run at the same time, num_runners in Python; further ones wait,
// without a thread. Runners share the constants and cost little memory. The default is
// GOMAXPROCS, as many operators as there are in native code at a time; in Python it is 1.
type Runners int

// SingleThreaded leaves out (true) the locks within the library, run_single_threaded in
// Python. There is one runner then. The default is false.
type SingleThreaded bool

// Device is the CUDA device that a model for CUDA runs on, device_index in Python. Without
// it, and with the zero Device, it is the first one; in Python it is the current one. One of
// another type than the model's is an error.
type Device torch.Device

// Inputs says what the inputs of the model are, in its order, beside what the package says:
// [Model.Run] refuses what fits one and not the other. It is for packages that do not say
// it, and for sizes that have to be equal; see [Dim]. Without it, and with an empty one,
// the package alone counts.
type Inputs []Input

// mostRunners is more than any machine has use for.
const mostRunners = 1 << 12

// loading is a list of LoadOptions, read.
type loading struct {
	name    string
	runners int
	single  bool
	device  torch.Device
	inputs  []Input
}

// readLoading panics for a wrong option. Its error is a device that is not there.
func readLoading(opts []LoadOption) (loading, error) {
	const op = "aoti.Load"
	l := loading{}
	given := false
	for _, o := range opts {
		switch o := o.(type) {
		case ModelName:
			l.name = string(o)
		case Runners:
			l.runners, given = int(o), true
		case SingleThreaded:
			l.single = bool(o)
		case Device:
			l.device = torch.Device(o)
		case Inputs:
			l.inputs = clone(o)
		default:
			panic(torch.BadOption(op, o))
		}
	}
	if !given {
		l.runners = 1
		if !l.single {
			l.runners = min(runtime.GOMAXPROCS(0), mostRunners)
		}
	}
	if l.name == "" {
		l.name = "model"
	}
	switch {
	case strings.ContainsAny(l.name, "/\\\x00"):
		panic(torch.NewError(op, torch.ErrValue, "ModelName", fmt.Sprintf("expected a name without a folder, got %.80q", l.name)))
	case l.runners < 1 || l.runners > mostRunners:
		panic(torch.NewError(op, torch.ErrValue, "Runners", fmt.Sprintf("expected 1 to %d, got %d", mostRunners, l.runners)))
	case l.single && l.runners != 1:
		panic(torch.NewError(op, torch.ErrValue, "Runners", fmt.Sprintf("expected 1 beside SingleThreaded, got %d", l.runners)))
	}
	checkSpec(op, l.inputs)
	return l, opt.MissingDevice(op, l.device)
}
