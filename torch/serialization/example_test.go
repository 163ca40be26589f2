package serialization_test

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/gotorch/gotorch/nn"
	"github.com/gotorch/gotorch/optim"
	"github.com/gotorch/gotorch/optim/schedule"
	"github.com/gotorch/gotorch/torch"
	"github.com/gotorch/gotorch/torch/serialization"
)

// Load the weights of a model that Python saved, and list their names in the checkpoint.
func ExampleLoadStateDict() {
	sd, err := serialization.LoadStateDict("testdata/golden/checkpoint.pth", serialization.Key("model"))
	if err != nil {
		fmt.Println(err)
		return
	}
	defer func() { _ = sd.Close() }()
	for _, name := range sd.Names() {
		fmt.Println(name, sd.Get(name).Shape())
	}
	float64s := nn.DType(torch.Float64)
	model := nn.NewSequential(nn.NewLinear(4, 8, float64s), nn.NewTanh(), nn.NewLinear(8, 2, float64s))
	defer func() { _ = model.Close() }()
	fmt.Println(model.LoadStateDict(nn.NewStateDict(sd.Map())))
	// Output:
	// 0.weight (8, 4)
	// 0.bias (8,)
	// 2.weight (2, 8)
	// 2.bias (2,)
	// <nil>
}

// Load reads any file that torch.save wrote.
func ExampleLoad() {
	torch.Scope(func() {
		v, err := serialization.Load("testdata/golden/checkpoint.pth")
		if err != nil {
			fmt.Println(err)
			return
		}
		checkpoint := v.(*serialization.Dict)
		fmt.Println(checkpoint.Keys()...)
		epoch, _ := checkpoint.Get("epoch")
		scheduler, _ := checkpoint.Get("scheduler")
		fmt.Println(epoch, scheduler.(*serialization.Dict).Len())
	})
	// Output:
	// model optimizer scheduler epoch losses rng data
	// 5 8
}

// Continue a training run that Python began.
func ExampleLoadDict() {
	run, err := serialization.LoadDict("testdata/golden/checkpoint.pth")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer serialization.Close(run)
	float64s := nn.DType(torch.Float64)
	model := nn.NewSequential(nn.NewLinear(4, 8, float64s), nn.NewTanh(), nn.NewLinear(8, 2, float64s))
	defer func() { _ = model.Close() }()
	opt := optim.NewAdam(model.Parameters(), optim.AMSGrad(true))
	defer func() { _ = opt.Close() }()
	sched := schedule.NewStepLR(opt, 1)
	err = errors.Join(
		model.LoadStateDict(run.Dict("model")),
		opt.LoadStateDict(run.Dict("optimizer")),
		sched.LoadStateDict(run.Dict("scheduler")),
	)
	epoch, _ := run.Get("epoch")
	fmt.Println(err, epoch, sched)

	// Write a checkpoint for Python: torch.load reads the file, and Python's
	// load_state_dict accepts each state.
	dir, err := os.MkdirTemp("", "resume")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer func() { _ = os.RemoveAll(dir) }()
	path := filepath.Join(dir, "run.pt")
	fmt.Println(serialization.Save(serialization.NewDict(
		"epoch", epoch,
		"model", model.StateDict(),
		"optimizer", opt.StateDict(),
		"scheduler", sched.StateDict(),
	), path))
	// Output:
	// <nil> 5 StepLR(step_size=3, gamma=0.5, base_lrs=[0.05], last_epoch=5)
	// <nil>
}

// Save values that torch.load(weights_only=True) can read in Python.
func ExampleSave() {
	dir, err := os.MkdirTemp("", "save")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer func() { _ = os.RemoveAll(dir) }()
	path := filepath.Join(dir, "run.pt")
	torch.Scope(func() {
		w := torch.Arange(0, 6, 1).View(2, 3)
		fmt.Println(serialization.Save(serialization.NewDict(
			"weights", serialization.NewOrderedDict("w", w, "w.t", w.T()), // shared memory
			"epoch", 3,
			"losses", []float64{0.5, 0.25},
		), path))
		v, err := serialization.Load(path)
		if err != nil {
			fmt.Println(err)
			return
		}
		losses, _ := v.(*serialization.Dict).Get("losses")
		fmt.Println(serialization.Repr(losses))
	})
	// Output:
	// <nil>
	// [0.5, 0.25]
}

// Inspect lists what loading a file would do in Python. It runs nothing.
func ExampleInspect() {
	found, err := serialization.Inspect("testdata/malformed/unsafe_system.pt")
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, g := range found {
		if !g.Allowed {
			fmt.Println(g.Name, g.Calls)
		}
	}
	_, err = serialization.Load("testdata/malformed/unsafe_system.pt")
	fmt.Println(errors.Is(err, serialization.ErrUnsafe))
	// Output:
	// os.system [os.system('echo hi')]
	// true
}
