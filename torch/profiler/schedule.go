package profiler

import (
	"fmt"
	"math"

	"github.com/gotorch/gotorch/torch"
)

// An Action is what a profile does in one step; torch.profiler.ProfilerAction.
type Action int

// The actions.
const (
	ActionNone          Action = iota // nothing
	ActionWarmup                      // gets ready, and forgets what it sees
	ActionRecord                      // records
	ActionRecordAndSave               // records, and calls OnTraceReady at the step's end
)

// String returns Python's name of the action, such as "RECORD".
func (a Action) String() string {
	if a < 0 || int(a) > int(ActionRecordAndSave) {
		return fmt.Sprintf("Action(%d)", int(a))
	}
	return [...]string{"NONE", "WARMUP", "RECORD", "RECORD_AND_SAVE"}[a]
}

// A Schedule says what to do in each step, which are counted from 0; schedule in Python.
// NewSchedule makes the usual ones. A profile with a schedule has a region
// "ProfilerStep#n" for each step. The default is nil, which records from Start to Stop.
type Schedule func(step int) Action

// A ScheduleOption is a number of a [NewSchedule]: [Wait], [Warmup], [Active], [Repeat],
// [SkipFirst], [SkipFirstWait].
//
//gotorch:options Wait Warmup Active Repeat SkipFirst SkipFirstWait
type ScheduleOption interface{ scheduleOption() }

// Wait is how many steps of a cycle pass without recording; wait in Python. The default is
// 0. A negative one is ErrValue.
type Wait int

// Warmup is how many steps follow whose events are forgotten; warmup in Python. The
// default is 0. A negative one is ErrValue.
type Warmup int

// Active is how many steps are recorded then; active in Python. It has to be given: the
// default, 0, is ErrValue, as is a negative one.
type Active int

// Repeat is the number of cycles; repeat in Python. The default is 0, which goes on until
// the profile ends. A negative one is ErrValue.
type Repeat int

// SkipFirst is how many steps pass before the first cycle; skip_first in Python. The
// default is 0. A negative one is ErrValue.
type SkipFirst int

// SkipFirstWait leaves out the Wait of the first cycle; skip_first_wait in Python. The
// default is false.
type SkipFirstWait bool

// NewSchedule returns a schedule of cycles: so many steps of waiting, of warming up, of
// recording. The Schedule panics with ErrValue for a negative step. NewSchedule panics
// with ErrValue for a negative number, for a cycle of more steps than an int counts and
// without an [Active]. Follows torch.profiler.schedule.
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
		panic(torch.NewError("profiler.NewSchedule", torch.ErrValue, "Active", fmt.Sprintf("a cycle of %d, %d and %d steps, which are too many to count", wait, warmup, active)))
	}
	return func(step int) Action {
		if step < 0 {
			panic(torch.NewError("profiler.Schedule", torch.ErrValue, "step", fmt.Sprintf("expected 0 or more, got %d", step)))
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
		panic(torch.NewError("profiler.NewSchedule", torch.ErrValue, name, fmt.Sprintf("expected %d or more, got %d", least, n)))
	}
	return n
}
