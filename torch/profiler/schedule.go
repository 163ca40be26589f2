package profiler

import (
	"fmt"
	"math"

	"github.com/gotorch/gotorch/torch"
)

// An Action is what a profile does in one step; torch.profiler.ProfilerAction.
type Action int

// These are the actions.
const (
	ActionNone          Action = iota // do nothing
	ActionWarmup                      // record and discard
	ActionRecord                      // record
	ActionRecordAndSave               // record, and call OnTraceReady at the step's end
)

// String returns Python's name of the action, such as "RECORD".
func (a Action) String() string {
	if a < 0 || int(a) > int(ActionRecordAndSave) {
		return fmt.Sprintf("Action(%d)", int(a))
	}
	return [...]string{"NONE", "WARMUP", "RECORD", "RECORD_AND_SAVE"}[a]
}

// A Schedule returns the action for each step, counted from 0; schedule in Python.
// NewSchedule makes the usual schedules. A profile with a schedule has a region
// "ProfilerStep#n" for each step. The default is nil, which records from Start to Stop.
type Schedule func(step int) Action

// A ScheduleOption is an option of [NewSchedule]: [Wait], [Warmup], [Active], [Repeat],
// [SkipFirst] or [SkipFirstWait].
//
//gotorch:options Wait Warmup Active Repeat SkipFirst SkipFirstWait
type ScheduleOption interface{ scheduleOption() }

// Wait is the number of steps at the start of a cycle that are not recorded. The name in
// Python is wait. The default is 0. A negative number causes ErrValue.
type Wait int

// Warmup is the number of steps after [Wait] that are recorded and discarded; warmup in
// Python. The default is 0. A negative number causes ErrValue.
type Warmup int

// Active is the number of steps after [Warmup] that are recorded. The name in Python is
// active. This option is required: the default, 0, and negative numbers cause ErrValue.
type Active int

// Repeat is the number of cycles. The name in Python is repeat. The default, 0, repeats
// until the profile ends. A negative number causes ErrValue.
type Repeat int

// SkipFirst is the number of steps before the first cycle; skip_first in Python. The
// default is 0. A negative number causes ErrValue.
type SkipFirst int

// SkipFirstWait leaves out the Wait steps of the first cycle; skip_first_wait in Python.
// The default is false.
type SkipFirstWait bool

// NewSchedule returns a schedule of cycles, each of [Wait], [Warmup] and [Active] steps.
// It panics with ErrValue for a negative number, for a cycle with more steps than an int
// can hold, and without [Active]. The Schedule panics with ErrValue for a negative step.
// Follows torch.profiler.schedule.
//
//	profiler.NewSchedule(profiler.Wait(1), profiler.Warmup(1), profiler.Active(3), profiler.Repeat(2))
func NewSchedule(opts ...ScheduleOption) Schedule {
	var wait, warmup, active, repeat, skip int
	var skipWait bool
	for _, o := range opts {
		switch o := o.(type) {
		case Wait:
			wait = atLeast(0, "Wait", int(o))
		case Warmup:
			warmup = atLeast(0, "Warmup", int(o))
		case Active:
			active = atLeast(1, "Active", int(o))
		case Repeat:
			repeat = atLeast(0, "Repeat", int(o))
		case SkipFirst:
			skip = atLeast(0, "SkipFirst", int(o))
		case SkipFirstWait:
			skipWait = bool(o)
		default:
			panic(torch.BadOption("profiler.NewSchedule", o))
		}
	}
	atLeast(1, "Active", active)
	if wait > math.MaxInt-warmup || wait+warmup > math.MaxInt-active {
		panic(torch.NewError("profiler.NewSchedule", torch.ErrValue, "Active",
			fmt.Sprintf("a cycle of %d, %d and %d steps is too long to count", wait, warmup, active)))
	}
	return func(step int) Action {
		if step < 0 {
			panic(torch.NewError("profiler.Schedule", torch.ErrValue, "step",
				fmt.Sprintf("expected 0 or more, got %d", step)))
		}
		if step < skip {
			return ActionNone
		}
		step -= skip
		if skipWait {
			step += wait
		}
		cycle := wait + warmup + active
		if repeat > 0 && step/cycle >= repeat {
			return ActionNone
		}
		switch at := step % cycle; {
		case at < wait:
			return ActionNone
		case at < wait+warmup:
			return ActionWarmup
		case at < cycle-1:
			return ActionRecord
		}
		return ActionRecordAndSave
	}
}

func atLeast(least int, name string, n int) int {
	if n < least {
		panic(torch.NewError("profiler.NewSchedule", torch.ErrValue, name,
			fmt.Sprintf("expected %d or more, got %d", least, n)))
	}
	return n
}
