package dcp

import (
	"bytes"
	"context"
	"encoding/gob"
	"errors"
	"time"

	"github.com/gotorch/gotorch/internal/plain"
	"github.com/gotorch/gotorch/torch"
	"github.com/gotorch/gotorch/torch/distributed"
)

// team holds the ranks that save or load together: the ranks of a group, or only this
// process.
type team struct {
	op   string
	g    *distributed.ProcessGroup // nil if only this process takes part
	rank int                       // rank in the group
	size int
}

func newTeam(op string, g *distributed.ProcessGroup) team {
	if g == nil {
		return team{op: op, size: 1}
	}
	return team{op: op, g: g, rank: g.Rank(), size: g.Size()}
}

// coordinator is the rank in the group that makes the decisions and writes .metadata.
const coordinator = 0

// tellTime is how long a rank whose context has ended tries to report that to the other
// ranks.
const tellTime = 2 * time.Second

// message is sent by each rank. Its value is encoded separately, so that the coordinator can detect
// that ranks have called different functions.
type message struct {
	Op     string
	Failed *report
	Value  []byte // a value of type S, encoded by gob
}

// answer is sent by the coordinator to each rank.
type answer struct {
	Failed []remoteFailure
	Value  []byte // a value of type R, encoded by gob
}

type remoteFailure struct {
	Rank   int // rank in the group
	Report report
}

// exchange sends each rank's value to the coordinator, which calls decide and answers each rank. A
// failure on one rank is returned on all ranks.
func exchange[S, R any](ctx context.Context, t team, send S, local error,
	decide func(all []S) ([]R, error),
) (R, error) {
	var none R
	if local == nil {
		local = ctx.Err()
	}
	if t.g == nil {
		if local != nil {
			return none, local
		}
		answers, err := decide([]S{send})
		if err != nil {
			return none, err
		}
		return answers[0], nil
	}
	if ctx.Err() != nil {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(context.WithoutCancel(ctx), tellTime)
		defer cancel()
	}
	root := t.g.GlobalRank(coordinator)
	var all []message
	var into any
	if t.rank == coordinator {
		into = &all
	}
	var value bytes.Buffer
	if local == nil {
		local = gob.NewEncoder(&value).Encode(send)
	}
	if err := t.g.GatherObject(ctx, message{t.op, reportOf(local), value.Bytes()}, into, root); err != nil {
		return none, firstError(local, err)
	}
	var answers any
	var own error // the coordinator's own error
	if t.rank == coordinator {
		var a []answer
		a, own = answerAll(t, all, decide)
		answers = a
	}
	var got answer
	if err := t.g.ScatterObject(ctx, &got, answers, root); err != nil {
		return none, firstError(firstError(local, own), err)
	}
	if len(got.Failed) == 0 {
		if local != nil { // a coordinator that follows the protocol reports it
			return none, local
		}
		var r R
		return r, decode(got.Value, &r)
	}
	e := &Error{Op: t.op, Rank: t.g.GlobalRank(t.rank)}
	for _, f := range got.Failed {
		err := f.Report.error()
		if f.Rank == t.rank { // for this rank, use the original error, which has all details
			err = firstError(firstError(local, own), err)
		}
		e.Failures = append(e.Failures, Failure{Rank: t.g.GlobalRank(f.Rank), Err: err})
	}
	return none, e
}

// answerAll returns the coordinator's answers to all ranks, and the error of decide.
func answerAll[S, R any](t team, all []message, decide func([]S) ([]R, error)) ([]answer, error) {
	answers := make([]answer, t.size)
	var bad []remoteFailure
	values := make([]S, len(all))
	for r, m := range all {
		if m.Failed != nil {
			bad = append(bad, remoteFailure{r, *m.Failed})
			continue
		}
		var err error
		if m.Op != t.op {
			err = fileError("", "", torch.ErrMismatch, "it called %s, but rank %d called %s", plain.Short(m.Op),
				t.g.GlobalRank(t.rank), t.op)
		} else {
			err = decode(m.Value, &values[r])
		}
		if err != nil {
			bad = append(bad, remoteFailure{r, *reportOf(err)})
		}
	}
	var err error
	if len(bad) == 0 {
		if err = putDecisions(answers, values, decide); err != nil {
			bad = append(bad, remoteFailure{t.rank, *reportOf(err)})
		}
	}
	for r := range answers {
		answers[r].Failed = bad
	}
	return answers, err
}

// decode decodes a value of another rank. Its error is one short line, although gob's errors contain
// names that the other rank has chosen.
func decode(b []byte, into any) error {
	if err := gob.NewDecoder(bytes.NewReader(b)).Decode(into); err != nil {
		return errors.New(plain.Message(err.Error()))
	}
	return nil
}

// putDecisions stores the results of decide in the answers.
func putDecisions[S, R any](answers []answer, values []S, decide func([]S) ([]R, error)) error {
	all, err := decide(values)
	if err != nil {
		return err
	}
	for r := range answers {
		var b bytes.Buffer
		if err := gob.NewEncoder(&b).Encode(all[r]); err != nil {
			return err
		}
		answers[r].Value = b.Bytes()
	}
	return nil
}

// repeat returns d once for each rank.
func (t team) repeat(d done) []done {
	all := make([]done, t.size)
	for r := range all {
		all[r] = d
	}
	return all
}

// done is exchanged by ranks that have nothing to send except that they are done.
type done struct{ OK bool }

func firstError(a, b error) error {
	if a != nil {
		return a
	}
	return b
}
