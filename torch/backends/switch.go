package backends

import (
	"github.com/gotorch/gotorch/cgotorch"
	"github.com/gotorch/gotorch/torch"
)

func read(op string, s cgotorch.Switch) int64 {
	r := torch.BeginRaw("backends." + op)
	v, st := cgotorch.GetSwitch(s)
	r.Status(st)
	return v
}

func write(op string, s cgotorch.Switch, value int64) {
	r := torch.BeginRaw("backends." + op)
	st := cgotorch.SetSwitch(s, value)
	r.Status(st)
}

func isOn(op string, s cgotorch.Switch) bool { return read(op, s) != 0 }

func turn(op string, s cgotorch.Switch, on bool) { write(op, s, number(on)) }

func number(on bool) int64 {
	if on {
		return 1
	}
	return 0
}
