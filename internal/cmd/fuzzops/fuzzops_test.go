package main

import (
	"os"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gotorch/gotorch/cgotorch"
	"github.com/gotorch/gotorch/cgotorch/aten"
)

// The test program is also the child process that makes the calls. In the child, calls of
// four operators fail on purpose.
func TestMain(m *testing.M) {
	if how := os.Getenv(childVariable); how != "" {
		if err := child(how, badCall); err != nil {
			os.Exit(3)
		}
		return
	}
	os.Exit(m.Run())
}

const (
	crashes = "add.Tensor" // at seed 3
	aborts  = "sub.Tensor" // at every seed
	hangs   = "mul.Tensor" // at seed 2
	spoils  = "div.Tensor" // at seed 4, but only in a process that has also made the call with seed 3
)

var spoilt bool

func badCall(op aten.Operator, seed int64, traced bool) int32 {
	if traced {
		os.Stderr.WriteString(callMark + op.Name + "(arguments)\n")
	}
	switch {
	case op.Name == crashes && seed == 3:
		_ = syscall.Kill(os.Getpid(), syscall.SIGKILL)
		select {}
	case op.Name == aborts:
		os.Stderr.WriteString("SIGABRT: abort\n")
		os.Exit(2)
	case op.Name == hangs && seed == 2:
		for { //nolint:staticcheck // a kernel that never returns looks like this
		}
	case op.Name == spoils && seed == 3:
		spoilt = true
	case op.Name == spoils && seed == 4 && spoilt:
		os.Stderr.WriteString("SIGFPE: floating-point exception\n")
		os.Exit(2)
	}
	return result
}

func pool(t *testing.T, names ...string) (*Pool, []Job) {
	t.Helper()
	p := &Pool{Env: os.Environ(), Operators: aten.Operators(), Workers: 2, Batch: 3, Watch: 4 * time.Second}
	var jobs []Job
	for _, name := range names {
		i := slices.IndexFunc(p.Operators, func(op aten.Operator) bool { return op.Name == name })
		require.GreaterOrEqual(t, i, 0, name)
		jobs = append(jobs, Job{i, 1, 6})
	}
	return p, jobs
}

// Each call that kills its process is reported with its arguments, and all other calls
// are still made.
func TestDeathsAreRecorded(t *testing.T) {
	p, jobs := pool(t, "abs", crashes, "neg", aborts, hangs, spoils, "exp")
	report, err := p.Run(jobs)
	require.NoError(t, err)
	type death struct {
		op   string
		seed int64
		kind string
	}
	var got []death
	for _, d := range report.Deaths {
		assert.True(t, d.Repeated, d)
		if d.Kind != Hang || d.Arguments != "" {
			assert.Equal(t, d.Operator+"(arguments)", d.Arguments)
		}
		got = append(got, death{d.Operator, d.Seed, d.Kind})
	}
	assert.Equal(t, []death{
		{crashes, 3, Memory}, // SIGKILL, as from the out-of-memory killer
		{spoils, 4, Division},
		{hangs, 2, Hang},
		{aborts, 1, Abort},
		{aborts, 2, Abort},
		{aborts, 3, Abort}, // the remaining calls of this operator are skipped
	}, got)
	assert.Equal(t, 7, report.Operators)
	assert.Equal(t, 7*6-3, report.Calls)
	assert.Equal(t, 7*6-3-6, report.Results)
	assert.Equal(t, map[string]int{Memory: 1, Division: 1, Hang: 1, Abort: 1}, report.Kinds)
	assert.Len(t, report.Unknown(), 5, "a process that was killed says nothing of its operator")
	assert.Contains(t, report.String(), "NOT KNOWN: hang, -replay mul.Tensor:2")
}

// If an operator is known to kill the process, a killed process is not a failure. The
// operator's remaining calls are skipped.
func TestKnownOperators(t *testing.T) {
	p, jobs := pool(t, aborts, "abs")
	p.Known = Known{aborts: {Kinds: []string{Abort}}}
	report, err := p.Run(jobs)
	require.NoError(t, err)
	assert.Len(t, report.Deaths, 1)
	assert.Empty(t, report.Unknown())
	assert.Equal(t, 6, report.Results)

	more := p.Known.With([]Death{
		{Operator: "abs", Seed: 7, Kind: Hang, Arguments: "abs(1)", Repeated: true},
		{Operator: "abs", Seed: 8, Kind: Crash, Repeated: true},
		{Operator: "neg", Seed: 7, Kind: Crash},
		{Operator: "exp", Seed: 7, Kind: Memory, Repeated: true},
	})
	again, err := ParseKnown(more.Text("2.11.0"))
	require.NoError(t, err)
	assert.Equal(t, Known{
		aborts: {[]string{Abort}, 0, ""},
		"abs":  {[]string{Crash, Hang}, 7, "abs(1)"},
	}, again)
	_, err = ParseKnown("abs\tcrash\n")
	require.Error(t, err)
}

func TestTimeIsBounded(t *testing.T) {
	p, jobs := pool(t, "abs", "neg", "exp")
	p.Budget = 1
	report, err := p.Run(jobs)
	require.NoError(t, err)
	assert.Equal(t, 3, report.NotReached)
	assert.Zero(t, report.Calls)
}

// The list is sorted, and contains only existing operators.
func TestTheListOfKnownOperators(t *testing.T) {
	names := map[string]bool{}
	for _, op := range aten.Operators() {
		names[op.Name] = true
	}
	files, err := knownFiles.ReadDir(".")
	require.NoError(t, err)
	require.Len(t, files, 2)
	for _, file := range files {
		version := strings.TrimSuffix(strings.TrimPrefix(file.Name(), "known-"), ".txt")
		text, err := knownFiles.ReadFile(file.Name())
		require.NoError(t, err)
		known, err := KnownTo(version)
		require.NoError(t, err)
		assert.Equal(t, known.Text(version), string(text), "written by -update")
		for name, row := range known {
			assert.True(t, names[name], name)
			assert.Subset(t, kinds, row.Kinds, name)
			assert.True(t, strings.HasPrefix(row.Call, name+"(") || row.Call == "", name)
		}
	}
	known, err := KnownTo("1.0.0")
	require.NoError(t, err)
	assert.Empty(t, known)
}

// The arguments depend only on the operator and the seed.
func TestArguments(t *testing.T) {
	before := cgotorch.SetWarnings(cgotorch.WarningsNever)
	defer cgotorch.SetWarnings(before)
	words := 0
	for _, op := range aten.Operators() {
		a, b := NewArguments(op, 11), NewArguments(op, 11)
		assert.Equal(t, a.String(), b.String())
		assert.Len(t, b.Words, len(a.Words))
		assert.Equal(t, a.Ctx, b.Ctx)
		words += len(a.Words)
		b.Free()
		a.Free()
	}
	assert.Greater(t, words, 3*len(aten.Operators()))

	// Calls of these operators are safe with any arguments. Together the operators take
	// most types of arguments.
	results := 0
	for _, op := range aten.Operators() {
		switch op.Name {
		case "add.Tensor", "clamp", "cat", "zeros", "sum.dim_IntList", "empty_like", "rand.generator", "to.device",
			"var.correction",
			"_foreach_add.ScalarList", "index.Tensor", "nan_to_num", "std.correction":
			for seed := range int64(100) {
				a := NewArguments(op, seed)
				got := make([]uint64, 4*len(op.Results)+1)
				if st := op.Call(a.Ctx, a.Words, got); st != 0 {
					assert.NotContains(t, cgotorch.TakeError(st).Message, "words", "%s:%d", op.Name, seed)
				} else {
					freeResults(op.Results, got)
					results++
				}
				a.Free()
			}
		}
	}
	assert.Greater(t, results, 200)
	assert.Panics(t, func() { new(Arguments).add('?') })
}
