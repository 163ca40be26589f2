package recording_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gotorch/gotorch/internal/native/modes"
	"github.com/gotorch/gotorch/internal/native/recording"
	_ "github.com/gotorch/gotorch/torch" // for its implementation of the modes
)

// within runs fn while the goroutine's mode is the recording with this number.
func within(number uint32, fn func()) {
	m := modes.Current()
	m.Capture = number
	modes.With("test", &m, fn)
}

func TestCurrent(t *testing.T) {
	require.Nil(t, recording.Current())
	r := recording.Start(9, false)
	assert.Nil(t, recording.Current(), "another goroutine's")
	within(9, func() { assert.Same(t, r, recording.Current()) })
	within(8, func() { assert.Nil(t, recording.Current()) })
	next := recording.Start(9, false) // a new recording gets number 9 before the first one has stopped
	r.Stop(9)
	within(9, func() { assert.Same(t, next, recording.Current()) })
	next.Stop(9)
	within(9, func() { assert.Nil(t, recording.Current()) })
}

// A guard compares a value with its value at the end of the last pass. Each key has only
// one guard.
func TestGuards(t *testing.T) {
	r := recording.Start(10, false)
	defer r.Stop(10)
	value := 1
	watch := func() {
		r.Watch("key", func() func() string {
			was := value
			return func() string {
				if value != was {
					return "changed"
				}
				return ""
			}
		})
	}
	r.BeforeReplay(func() { t.Error("of a pass that another one follows") })
	r.Clear()
	watch()
	watch()
	value = 2 // within the pass
	guards := r.Guards()
	require.Len(t, guards, 1)
	assert.Empty(t, guards[0]())
	value = 3
	assert.Equal(t, "changed", guards[0]())
	assert.Empty(t, r.Before())
	var none *recording.Recording
	none.Watch("key", nil)
	none.BeforeReplay(nil)
}

// After GiveUp, a lenient recording continues. Its failure is the first reason.
func TestGiveUp(t *testing.T) {
	strict, lenient := recording.Start(11, false), recording.Start(12, true)
	defer strict.Stop(11)
	defer lenient.Stop(12)
	assert.False(t, strict.GiveUp("one"))
	assert.Empty(t, strict.Failure())
	assert.True(t, lenient.GiveUp("one"))
	assert.True(t, lenient.GiveUp("two"))
	assert.Equal(t, "one", lenient.Failure())
}
