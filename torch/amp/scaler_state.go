package amp

import (
	"fmt"
	"maps"
	"slices"

	"github.com/gotorch/gotorch/internal/opt"
	"github.com/gotorch/gotorch/internal/plain"
	"github.com/gotorch/gotorch/internal/pyvalue"
	"github.com/gotorch/gotorch/optim"
	"github.com/gotorch/gotorch/torch"
)

// GetScale returns the scale, and waits for its device. For a disabled scaler it returns
// 1. Follows GradScaler.get_scale.
func (s *GradScaler) GetScale() float64 {
	s.check("amp.GradScaler.GetScale")
	switch {
	case !s.enabled:
		return 1
	case s.scale == nil:
		return s.initScale
	}
	return s.scale.Item()
}

// GrowthFactor returns the [GrowthFactor]. Follows GradScaler.get_growth_factor.
func (s *GradScaler) GrowthFactor() float64 {
	s.check("amp.GradScaler.GrowthFactor")
	return s.growth
}

// SetGrowthFactor changes the [GrowthFactor]. Follows GradScaler.set_growth_factor.
func (s *GradScaler) SetGrowthFactor(factor float64) {
	s.check("amp.GradScaler.SetGrowthFactor")
	s.growth = factor
}

// BackoffFactor returns the [BackoffFactor]. Follows GradScaler.get_backoff_factor.
func (s *GradScaler) BackoffFactor() float64 {
	s.check("amp.GradScaler.BackoffFactor")
	return s.backoff
}

// SetBackoffFactor changes the [BackoffFactor]. Follows GradScaler.set_backoff_factor.
func (s *GradScaler) SetBackoffFactor(factor float64) {
	s.check("amp.GradScaler.SetBackoffFactor")
	s.backoff = factor
}

// GrowthInterval returns the [GrowthInterval]. Follows GradScaler.get_growth_interval.
func (s *GradScaler) GrowthInterval() int {
	s.check("amp.GradScaler.GrowthInterval")
	return s.interval
}

// SetGrowthInterval changes the [GrowthInterval]. Follows GradScaler.set_growth_interval.
func (s *GradScaler) SetGrowthInterval(steps int) {
	s.check("amp.GradScaler.SetGrowthInterval")
	s.interval = steps
}

// IsEnabled reports whether the scaler is enabled. Follows GradScaler.is_enabled.
func (s *GradScaler) IsEnabled() bool {
	s.check("amp.GradScaler.IsEnabled")
	return s.enabled
}

// These are the keys of a scaler's state, as in Python.
const (
	keyScale    = "scale"
	keyGrowth   = "growth_factor"
	keyBackoff  = "backoff_factor"
	keyInterval = "growth_interval"
	keyTracker  = "_growth_tracker"
)

// StateDict is a scaler's state under Python's names. If serialization.Save writes it, Python's
// load_state_dict accepts it. "scale", "growth_factor" and "backoff_factor" are float64.
// "growth_interval" and "_growth_tracker", the number of consecutive good steps, are int64.
type StateDict map[string]any

// Each calls fn with each name and its value, sorted by name, until fn returns false.
// With it, a StateDict is an [optim.StateSource]. It panics with ErrNil for a nil fn.
func (s StateDict) Each(fn func(key, value any) bool) {
	if fn == nil {
		panic(torch.NilFunc("amp.StateDict.Each", "fn"))
	}
	for _, name := range slices.Sorted(maps.Keys(s)) {
		if !fn(name, s[name]) {
			return
		}
	}
}

// StateDict returns the state to save. For a disabled scaler it is empty. Call it after
// Update. It waits for the scale's device. Follows GradScaler.state_dict.
func (s *GradScaler) StateDict() StateDict {
	s.check("amp.GradScaler.StateDict")
	if !s.enabled {
		return StateDict{}
	}
	tracker := s.initTracker
	if s.tracker != nil {
		tracker = int64(s.tracker.Item())
	}
	return StateDict{
		keyScale: s.GetScale(), keyGrowth: s.growth, keyBackoff: s.backoff,
		keyInterval: int64(s.interval), keyTracker: tracker,
	}
}

// LoadStateDict restores a state returned by [GradScaler.StateDict] or Python's
// state_dict. Numbers may be an int, an int64 or a float64. A disabled scaler does
// nothing. If it fails, nothing changes. The error is a *torch.Error: ErrNil for a nil
// dict; ErrValue for an empty dict, such as that of a disabled scaler, for missing or
// extra keys, and for counts that do not fit in an int32; and ErrType for a value that is
// not one of these number types. Follows GradScaler.load_state_dict.
func (s *GradScaler) LoadStateDict(src optim.StateSource) error {
	const op = "amp.GradScaler.LoadStateDict"
	s.check(op)
	if !s.enabled {
		return nil
	}
	bad := func(kind error, format string, args ...any) error {
		return torch.NewError(op, kind, "state", plain.Text(fmt.Sprintf(format, args...)))
	}
	if opt.IsNil(src) {
		return bad(torch.ErrNil, "the dict is nil; is the entry missing from the file?")
	}
	state, foreign, ok := pyvalue.Named(src)
	switch {
	case !ok:
		return bad(torch.ErrType, "expected strings as keys, got %s", plain.Short(fmt.Sprint(foreign)))
	case len(state) == 0:
		return bad(torch.ErrValue, "the dict is empty; it may come from a disabled scaler")
	}
	read := map[string]float64{}
	for _, key := range []string{keyScale, keyGrowth, keyBackoff, keyInterval, keyTracker} {
		v, ok := state[key]
		if !ok {
			return bad(torch.ErrValue, "%q is missing", key)
		}
		if read[key], ok = pyvalue.Float(v); !ok {
			return bad(torch.ErrType, "expected a number under %q, got %T", key, v)
		}
		if n := read[key]; n != float64(int64(n)) && (key == keyInterval || key == keyTracker) {
			return bad(torch.ErrType, "expected an integer under %q, got %v", key, v)
		}
	}
	if n := read[keyTracker]; n != float64(int32(n)) {
		return bad(torch.ErrValue, "expected a number under %q that fits in an int32, got %v", keyTracker, n)
	}
	for _, key := range slices.Sorted(maps.Keys(state)) {
		if _, ok := read[key]; !ok {
			return bad(torch.ErrValue, "%s is not part of a scaler's state", plain.Quote(key))
		}
	}
	err := torch.Try(func() {
		if s.scale != nil {
			torch.NoGrad(func() {
				s.scale.Fill_(read[keyScale])
				s.tracker.Fill_(int64(read[keyTracker]))
			})
		}
	})
	if err != nil {
		return err
	}
	s.initScale, s.initTracker = read[keyScale], int64(read[keyTracker])
	s.growth, s.backoff, s.interval = read[keyGrowth], read[keyBackoff], int(read[keyInterval])
	return nil
}

// String formats the settings and the current scale. For nil it returns "<nil>".
func (s *GradScaler) String() string {
	if s == nil || s.optimizers == nil {
		return "<nil>"
	}
	if !s.enabled {
		return "GradScaler(enabled=False)"
	}
	return fmt.Sprintf("GradScaler(scale=%v, growth_factor=%v, backoff_factor=%v, growth_interval=%d)",
		s.GetScale(), s.growth, s.backoff, s.interval)
}
