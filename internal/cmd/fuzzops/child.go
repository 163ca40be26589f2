package main

import (
	"bufio"
	"encoding/binary"
	"errors"
	"fmt"
	"os"
	"runtime"
	"strings"
	"syscall"

	"github.com/gotorch/gotorch/cgotorch"
	"github.com/gotorch/gotorch/cgotorch/abi"
	"github.com/gotorch/gotorch/cgotorch/aten"
	"github.com/gotorch/gotorch/cgotorch/mem"
)

// A Job is a sequence of calls of one operator with consecutive seeds.
type Job struct {
	Op   int
	Seed int64
	N    int
}

// The results of a call.
const (
	nothing = iota // there was no previous call
	result
	failed
	absent // the installed libtorch lacks the operator
)

// A record identifies the call that a child makes next, and reports how the previous call
// ended. The parent reads records from a pipe. The last record has no operator.
type record struct {
	Op, Before int32
	Seed       int64
}

const recordSize = 16

func (r record) bytes() []byte {
	b := make([]byte, 0, recordSize)
	b = binary.LittleEndian.AppendUint32(b, uint32(r.Op))
	b = binary.LittleEndian.AppendUint32(b, uint32(r.Before))
	return binary.LittleEndian.AppendUint64(b, uint64(r.Seed))
}

func readRecord(b []byte) record {
	return record{
		Op: int32(binary.LittleEndian.Uint32(b)), Before: int32(binary.LittleEndian.Uint32(b[4:])),
		Seed: int64(binary.LittleEndian.Uint64(b[8:])),
	}
}

// These limit a child process, so that excessive sizes become errors.
const (
	tensorBytes = 256 << 20
	dataBytes   = 2 << 30 // beyond the memory that the child has at its start
)

const (
	quietly = "quiet"
	traced  = "traced" // The child prints each call to standard error before it makes the call.
)

// A caller makes one call.
type caller func(op aten.Operator, seed int64, traced bool) int32

// child reads jobs from standard input, one per line, and makes their calls.
func child(how string, do caller) error {
	runtime.LockOSThread()
	data, err := mapped()
	if err != nil {
		return err
	}
	for what, limit := range map[int]uint64{syscall.RLIMIT_CORE: 0, syscall.RLIMIT_DATA: data + dataBytes} {
		if err := syscall.Setrlimit(what, &syscall.Rlimit{Cur: limit, Max: limit}); err != nil {
			return err
		}
	}
	mem.CPUSetLimit(tensorBytes)
	cgotorch.SetWarnings(cgotorch.WarningsNever)
	pipe := os.NewFile(3, "records")
	operators := aten.Operators()
	before := int32(nothing)
	for lines := bufio.NewScanner(os.Stdin); lines.Scan(); {
		var j Job
		if _, err := fmt.Sscan(lines.Text(), &j.Op, &j.Seed, &j.N); err != nil {
			return fmt.Errorf("a job %q: %w", lines.Text(), err)
		}
		for k := range int64(j.N) {
			if _, err := pipe.Write(record{int32(j.Op), before, j.Seed + k}.bytes()); err != nil {
				return err
			}
			before = do(operators[j.Op], j.Seed+k, how == traced)
		}
	}
	_, err = pipe.Write(record{Op: -1, Before: before}.bytes())
	return err
}

// mapped returns how many bytes of this process count toward RLIMIT_DATA. Go's race
// detector alone uses many.
func mapped() (uint64, error) {
	text, err := os.ReadFile("/proc/self/status")
	if err != nil {
		return 0, err
	}
	for line := range strings.Lines(string(text)) {
		if kib, ok := strings.CutPrefix(line, "VmData:"); ok {
			var n uint64
			_, err := fmt.Sscan(kib, &n)
			return n << 10, err
		}
	}
	return 0, errors.New("/proc/self/status has no VmData")
}

// callOperator calls op with the arguments that seed determines.
func callOperator(op aten.Operator, seed int64, traced bool) int32 {
	if st := op.Installed(); st != 0 {
		cgotorch.FreeStatus(st)
		return absent
	}
	if st := cgotorch.ManualSeed(uint64(seed)); st != 0 {
		cgotorch.FreeStatus(st)
	}
	a := NewArguments(op, seed)
	defer a.Free()
	if traced {
		fmt.Fprintf(os.Stderr, "%s%s(%s)\n", callMark, op.Name, a)
	}
	got := make([]uint64, 4*len(op.Results)+1)
	if st := op.Call(a.Ctx, a.Words, got); st != 0 {
		if traced {
			first, _, _ := strings.Cut(cgotorch.StatusMessage(st), "\n")
			fmt.Fprintln(os.Stderr, "error:", first)
		}
		cgotorch.FreeStatus(st)
		return failed
	}
	freeResults(op.Results, got)
	if traced {
		fmt.Fprintln(os.Stderr, "returned")
	}
	return result
}

const callMark = "call: "

func freeResults(kinds string, got []uint64) {
	for _, kind := range kinds {
		switch kind {
		case 't':
			cgotorch.Free(abi.Tensor(got[0]))
			got = got[1:]
		case 'l':
			cgotorch.FreeMany(aten.TakeList(got[:2]))
			got = got[2:]
		case 'i', 'b', 'd':
			got = got[1:]
		case 's':
			got = got[4:]
		}
	}
}
