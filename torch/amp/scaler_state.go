package amp

import (
	"fmt"

	"github.com/gotorch/gotorch/torch"
)

// GetScale returns the scale, and waits for its device; 1 if the scaler is not enabled.
// Follows GradScaler.get_scale.
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

// GetGrowthFactor returns what [GrowthFactor] says. Follows
// GradScaler.get_growth_factor.
func (s *GradScaler) GetGrowthFactor() float64 {
	s.check("amp.GradScaler.GetGrowthFactor")
	return s.growth
}

// SetGrowthFactor changes what [GrowthFactor] says. Follows
// GradScaler.set_growth_factor.
func (s *GradScaler) SetGrowthFactor(factor float64) {
	s.check("amp.GradScaler.SetGrowthFactor")
	s.growth = factor
}

// GetBackoffFactor returns what [BackoffFactor] says. Follows
// GradScaler.get_backoff_factor.
func (s *GradScaler) GetBackoffFactor() float64 {
	s.check("amp.GradScaler.GetBackoffFactor")
	return s.backoff
}

// SetBackoffFactor changes what [BackoffFactor] says. Follows
// GradScaler.set_backoff_factor.
func (s *GradScaler) SetBackoffFactor(factor float64) {
	s.check("amp.GradScaler.SetBackoffFactor")
	s.backoff = factor
}

// GetGrowthInterval returns what [GrowthInterval] says. Follows
// GradScaler.get_growth_interval.
func (s *GradScaler) GetGrowthInterval() int64 {
	s.check("amp.GradScaler.GetGrowthInterval")
	return s.interval
}

// SetGrowthInterval changes what [GrowthInterval] says. Follows
// GradScaler.set_growth_interval.
func (s *GradScaler) SetGrowthInterval(steps int64) {
	s.check("amp.GradScaler.SetGrowthInterval")
	s.interval = steps
}

// IsEnabled reports whether the scaler scales. Follows GradScaler.is_enabled.
func (s *GradScaler) IsEnabled() bool {
	s.check("amp.GradScaler.IsEnabled")
	return s.enabled
}

// The keys of a scaler's state, as in Python.
const (
	keyScale    = "scale"
	keyGrowth   = "growth_factor"
	keyBackoff  = "backoff_factor"
	keyInterval = "growth_interval"
	keyTracker  = "_growth_tracker"
)

// StateDict returns the state to save, under Python's names: "scale", "growth_factor" and
// "backoff_factor" are a float64, "growth_interval" and "_growth_tracker", the good steps
// in a row, an int64. It is empty if the scaler is not enabled. Take it after Update. It
// waits for the scale's device. Follows GradScaler.state_dict.
func (s *GradScaler) StateDict() map[string]any {
	s.check("amp.GradScaler.StateDict")
	if !s.enabled {
		return map[string]any{}
	}
	tracker := s.initTracker
	if s.tracker != nil {
		tracker = int64(s.tracker.Item())
	}
	return map[string]any{
		keyScale: s.GetScale(), keyGrowth: s.growth, keyBackoff: s.backoff,
		keyInterval: s.interval, keyTracker: tracker,
	}
}

// LoadStateDict restores what [GradScaler.StateDict] or Python's state_dict returned; its
// numbers may be an int, an int64 or a float64. A scaler that is not enabled does
// nothing. It returns a *torch.Error, of kind ErrValue for a dict that is empty, as that
// of a scaler that is not enabled, or lacks a key or has one more, or counts more steps
// than an int32 does, and of kind ErrType for a value that is no such number; nothing has
// changed then. Follows GradScaler.load_state_dict.
func (s *GradScaler) LoadStateDict(state map[string]any) error {
	const op = "amp.GradScaler.LoadStateDict"
	s.check(op)
	if !s.enabled {
		return nil
	}
	if len(state) == 0 {
		return torch.NewError(op, torch.ErrValue, "state", "it is empty, possibly that of a scaler that is not enabled")
	}
	read := map[string]float64{}
	for _, key := range []string{keyScale, keyGrowth, keyBackoff, keyInterval, keyTracker} {
		v, ok := state[key]
		if !ok {
			return torch.NewError(op, torch.ErrValue, "state", fmt.Sprintf("it lacks %q", key))
		}
		whole := true
		switch v := v.(type) {
		case float64:
			read[key], whole = v, v == float64(int64(v))
		case int64:
			read[key] = float64(v)
		case int:
			read[key] = float64(v)
		default:
			return torch.NewError(op, torch.ErrType, "state", fmt.Sprintf("expected a number under %q, got %T", key, v))
		}
		if !whole && (key == keyInterval || key == keyTracker) {
			return torch.NewError(op, torch.ErrType, "state", fmt.Sprintf("expected a whole number under %q, got %v", key, v))
		}
	}
	if n := read[keyTracker]; n != float64(int32(n)) {
		return torch.NewError(op, torch.ErrValue, "state", fmt.Sprintf("expected under %q a number that an int32 holds, got %v", keyTracker, n))
	}
	for key := range state {
		if _, ok := read[key]; !ok {
			return torch.NewError(op, torch.ErrValue, "state", fmt.Sprintf("%q is no part of a scaler's state", key))
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
	s.growth, s.backoff, s.interval = read[keyGrowth], read[keyBackoff], int64(read[keyInterval])
	return nil
}
