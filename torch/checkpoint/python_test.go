package checkpoint_test

import (
	"testing"

	"github.com/gotorch/gotorch/internal/pythontest"
	"github.com/gotorch/gotorch/torchtest"
)

// Python's torch.load(weights_only=True) reads a checkpoint. The state dicts in it load
// into Python's modules, optimizers, schedulers and scalers, and training continues there.
func TestPythonReadsIt(t *testing.T) {
	defer torchtest.CheckLeaks(t)()
	python := pythontest.Interpreter(t, "torch")
	tr := newTraining()
	defer tr.Close()
	tr.run(func(float64) bool { return tr.place.Step < 7 })
	path := saved(t, tr.state())
	const script = `
import sys, torch
c = torch.load(sys.argv[1], weights_only=True)
assert c["step"] == 5 and c["metrics"] == {"loss": 0.5}, c
assert c["place"] == {"Epoch": 1, "Batch": 2, "Step": 7, "Names": None, "Best": None}, c["place"]
m = torch.nn.Sequential(torch.nn.Linear(6, 8), torch.nn.BatchNorm1d(8), torch.nn.Dropout(0.3), torch.nn.Linear(8, 3))
m.load_state_dict(c["model"])
o = torch.optim.SGD(m.parameters(), lr=1)
o.load_state_dict(c["optimizer"])
assert o.param_groups[0]["lr"] == 0.1 * 0.7 * 0.7 and o.param_groups[0]["momentum"] == 0.9, o
assert len(o.state) == 6
s = torch.optim.lr_scheduler.StepLR(o, 2)
s.load_state_dict(c["scheduler"])
assert s.last_epoch == 7 and s.step_size == 3, s.state_dict()
a = torch.amp.GradScaler("cpu")
a.load_state_dict(c["scaler"])
torch.set_rng_state(c["rng_state"])
torch.nn.functional.cross_entropy(m(torch.rand(4, 6)), torch.tensor([0, 1, 2, 0])).backward()
o.step(); s.step()
`
	pythontest.Script(t, python, "", script, path)
}
