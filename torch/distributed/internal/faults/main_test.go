package faults_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"runtime/debug"
	"syscall"
	"testing"
	"time"

	"github.com/gotorch/gotorch/internal/sanitized"
	"github.com/gotorch/gotorch/torch/distributed"
)

// role is the variable that makes this program a rank of the training, with its settings.
const role = "GOTORCH_FAULTS_RANK"

func TestMain(m *testing.M) {
	if text := os.Getenv(role); text != "" {
		os.Exit(rankMain(text))
	}
	if sanitized.On {
		// These tests mostly wait for child processes. Tests of other packages check the same code
		// with the sanitizers.
		fmt.Println("nothing is run: the race detector or AddressSanitizer is in the program")
		os.Exit(0)
	}
	os.Exit(m.Run())
}

// outcome is what a rank prints at the end.
type outcome struct {
	Step   int    // the last step
	Digest string // hash of the parameters
	Error  string
	Kinds  []string // the kinds of the error
	Ranks  []int
}

// kinds are the kinds of errors that a rank reports.
var kinds = []error{
	distributed.ErrPeer, distributed.ErrTimeout, distributed.ErrNetwork, distributed.ErrStore, distributed.ErrClosed,
	distributed.ErrCanceled, distributed.ErrMismatch, distributed.ErrInUse, distributed.ErrEnvironment,
}

// say prints a line in one write, so that a kill cannot split it.
func say(format string, args ...any) { fmt.Fprintf(os.Stdout, format+"\n", args...) }

// rankMain is the program of a rank.
func rankMain(text string) int {
	say("pid %d", os.Getpid())
	ctx, joined := untilTold()
	o, err := rank(ctx, text, joined)
	if err != nil {
		o.Error = err.Error()
		for _, kind := range kinds {
			if errors.Is(err, kind) {
				o.Kinds = append(o.Kinds, kind.Error())
			}
		}
		var e *distributed.Error
		if errors.As(err, &e) {
			o.Ranks = e.Ranks
		}
	}
	line, _ := json.Marshal(o) // cannot fail for numbers and strings
	say("outcome %s", line)
	if err != nil {
		return 1
	}
	return 0
}

func rank(ctx context.Context, text string, joined func()) (o outcome, err error) {
	var s settings
	if err := json.Unmarshal([]byte(text), &s); err != nil {
		return o, err
	}
	// Processes may start with a delay that is longer than a collective's timeout.
	soon, cancel := context.WithTimeout(ctx, max(s.Timeout, time.Minute))
	g, err := distributed.InitProcessGroup(soon, distributed.Gloo, distributed.Timeout(s.Timeout))
	cancel()
	if err != nil {
		return o, err
	}
	joined()
	say("joined")
	defer func() { err = errors.Join(err, g.Close()) }()
	return run(ctx, g, s)
}

// grace is how long a rank may continue after SIGTERM: long enough to learn which rank has failed.
// torchrun waits for half a minute.
const grace = 10 * time.Second

// untilTold returns a context that SIGTERM cancels: immediately if joined has not been
// called, and after grace otherwise. torchrun sends SIGTERM to all ranks as soon as one
// has failed, before the others know which one. If the rank still does not end, it
// panics, which prints its stacks.
func untilTold() (ctx context.Context, joined func()) {
	ctx, cancel := context.WithCancel(context.Background())
	told := make(chan os.Signal, 1)
	signal.Notify(told, syscall.SIGTERM)
	in := make(chan struct{})
	go func() {
		<-told
		select {
		case <-in:
			time.Sleep(grace)
		default:
		}
		cancel()
		time.Sleep(grace / 2)
		debug.SetTraceback("all")
		panic("this rank got SIGTERM, and has not ended in time")
	}()
	return ctx, func() { close(in) }
}
