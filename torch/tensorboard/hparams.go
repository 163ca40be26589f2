package tensorboard

import (
	"errors"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/gotorch/gotorch/internal/wire"
	"github.com/gotorch/gotorch/torch"
)

// These are the numbers of the value types in the hyperparameters plugin.
const (
	hparamString = 1
	hparamBool   = 2
	hparamFloat  = 3
)

// AddHParams adds the hyperparameters of a training run and its metrics, which
// TensorBoard compares in a table; add_hparams in Python. The metrics are also written as
// scalars, to a subdirectory. A hyperparameter is a number, string, bool or tensor with
// one element. Nil hyperparameters are left out; the others are sorted by name. A bool is
// written as a bool; Python writes 0 or 1.
//
// It returns ErrType for a hyperparameter of any other type.
func (w *SummaryWriter) AddHParams(hparams map[string]any, metrics map[string]float64, opts ...HParamsOption) error {
	const op = "tensorboard.SummaryWriter.AddHParams"
	run, step, discrete := "", 0, map[string][]any(nil)
	for _, o := range opts {
		switch o := o.(type) {
		case RunName:
			run = string(o)
		case HParamDomainDiscrete:
			discrete = o
		case GlobalStep:
			step = int(o)
		default:
			panic(torch.BadOption(op, o))
		}
	}
	for name := range discrete {
		if hparams[name] == nil {
			return torch.NewError(op, torch.ErrValue, "HParamDomainDiscrete",
				fmt.Sprintf("%q is not a hyperparameter", name))
		}
	}
	var session, experiment []byte
	for _, name := range slices.Sorted(maps.Keys(hparams)) {
		if hparams[name] == nil {
			continue
		}
		entry, info, err := hparam(op, name, hparams[name], discrete[name])
		if err != nil {
			return err
		}
		session = wire.AppendBytes(session, 1, entry)
		experiment = wire.AppendBytes(experiment, 4, info)
	}
	for _, name := range slices.Sorted(maps.Keys(metrics)) {
		experiment = wire.AppendBytes(experiment, 5, wire.AppendBytes(nil, 1, wire.AppendString(nil, 2, name)))
	}
	if run == "" {
		run = strconv.FormatFloat(seconds(time.Now()), 'f', -1, 64)
		if !strings.Contains(run, ".") {
			run += ".0"
		}
	}
	return w.writeHParams(op, run, step, experiment, session, metrics)
}

func (w *SummaryWriter) writeHParams(op, run string, step int, experiment, session []byte,
	metrics map[string]float64,
) error {
	if err := w.checkMade(op); err != nil {
		return err
	}
	w.mu.Lock()
	gone := w.closed
	w.mu.Unlock()
	if gone {
		return closed(op)
	}
	folder, err := w.below(op, "RunName", run)
	if err != nil {
		return err
	}
	f, err := newFile(folder, w.settings)
	if err != nil {
		return err
	}
	const success = 1
	e := event{now: true, step: step}
	errs := []error{
		f.add(op, e, eventSummary, hparamsOf("_hparams_/experiment", 2, experiment)),
		f.add(op, e, eventSummary, hparamsOf("_hparams_/session_start_info", 3, session)),
		f.add(op, e, eventSummary, hparamsOf("_hparams_/session_end_info", 4, wire.AppendInt(nil, 1, success))),
	}
	for _, name := range slices.Sorted(maps.Keys(metrics)) {
		errs = append(errs, f.add(op, e, eventSummary, scalar(name, metrics[name])))
	}
	return errors.Join(append(errs, f.close())...)
}

// hparamsOf returns a summary for the hyperparameters plugin, whose data has one field
// with the given content.
func hparamsOf(tag string, field int, content []byte) []byte {
	v := wire.AppendString(nil, valueTag, tag)
	return summaryOf(wire.AppendBytes(v, valueMetadata, metadata("hparams", wire.AppendBytes(nil, field, content))))
}

// hparam encodes a hyperparameter with its value and its description.
func hparam(op, name string, value any, discrete []any) (entry, info []byte, err error) {
	v, kind, err := hparamValue(op, name, value)
	if err != nil {
		return nil, nil, err
	}
	entry = wire.AppendBytes(wire.AppendString(nil, 1, name), 2, v)
	info = wire.AppendInt(wire.AppendString(nil, 1, name), 4, int64(kind))
	if discrete == nil {
		return entry, info, nil
	}
	var list []byte
	for _, d := range discrete {
		v, k, err := hparamValue(op, name, d)
		if err != nil {
			return nil, nil, err
		}
		if k != kind {
			return nil, nil, torch.NewError(op, torch.ErrValue, "HParamDomainDiscrete",
				fmt.Sprintf("%q is a %T, but one of its values, %v, is a %T", name, value, d, d))
		}
		list = wire.AppendBytes(list, 1, v)
	}
	return entry, wire.AppendBytes(info, 5, list), nil
}

// hparamValue encodes a google.protobuf.Value and returns its type.
func hparamValue(op, name string, value any) (v []byte, kind int, err error) {
	if t, ok := value.(*torch.Tensor); ok && t != nil {
		var x float64
		err := torch.Try(func() { x = t.Item() })
		return wire.AppendDouble(nil, 2, x), hparamFloat, err
	}
	r := reflect.ValueOf(value)
	switch {
	case r.Kind() == reflect.String:
		return wire.AppendString(nil, 3, r.String()), hparamString, nil
	case r.Kind() == reflect.Bool && r.Bool():
		return wire.AppendInt(nil, 4, 1), hparamBool, nil
	case r.Kind() == reflect.Bool:
		return wire.AppendInt(nil, 4, 0), hparamBool, nil
	case r.CanInt():
		return wire.AppendDouble(nil, 2, float64(r.Int())), hparamFloat, nil
	case r.CanUint():
		return wire.AppendDouble(nil, 2, float64(r.Uint())), hparamFloat, nil
	case r.CanFloat():
		return wire.AppendDouble(nil, 2, r.Float()), hparamFloat, nil
	}
	return nil, 0, torch.NewError(op, torch.ErrType, "hparams",
		fmt.Sprintf("%q: expected a number, string, bool or tensor, got %T", name, value))
}
