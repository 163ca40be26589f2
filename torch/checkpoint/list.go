package checkpoint

import (
	"cmp"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"time"

	"github.com/gotorch/gotorch/internal/fileerr"
	"github.com/gotorch/gotorch/torch"
)

// Info describes a checkpoint.
type Info struct {
	Path    string
	Number  int64 // greater than the numbers of all older files in the directory
	Step    int
	Metrics map[string]float64
	Size    int64 // size of the file in bytes
	Time    time.Time
	Err     error // an error in the last bytes of the file; List reads no other bytes
}

var fileName = regexp.MustCompile(`^(\d{6,18})-step-(\d{1,19})\.pt$`)

// lastNumber is the largest checkpoint number that fits in a file name.
const lastNumber = 1e18 - 1

func nameOf(number int64, step int) string { return fmt.Sprintf("%06d-step-%d.pt", number, step) }

// List returns the checkpoints of a directory, the oldest first. It reads the end of each
// file and reports errors in the Info. It needs no Manager, so other programs may list a
// directory. It returns a [*torch.FileError] if the directory cannot be read.
func List(dir string) ([]Info, error) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil, readError(dir, err)
	}
	var all []Info
	for _, e := range entries {
		m := fileName.FindStringSubmatch(e.Name())
		if m == nil || !e.Type().IsRegular() {
			continue
		}
		info := Info{Path: filepath.Join(dir, e.Name())}
		// cannot fail, because 18 digits always fit in an int64
		info.Number, _ = strconv.ParseInt(m[1], 10, 64)
		info.read()
		// skip files that a Manager has removed since the directory was listed
		if !os.IsNotExist(info.systemError()) {
			all = append(all, info)
		}
	}
	slices.SortFunc(all, func(a, b Info) int {
		return cmp.Or(cmp.Compare(a.Number, b.Number), cmp.Compare(a.Step, b.Step))
	})
	return all, nil
}

func (i *Info) read() {
	f, size, err := fileerr.Open(format, i.Path)
	if err != nil {
		i.Err = err
		return
	}
	defer func() { _ = f.Close() }() // the file was only read, so closing it loses no data
	i.Size = size
	if stat, err := f.Stat(); err == nil {
		i.Time = stat.ModTime()
	}
	s, err := readSeal(i.Path, f, size)
	if err != nil {
		i.Err = err
		return
	}
	i.Step, i.Metrics = s.step, s.metrics
}

// systemError returns the operating system's error if the file could not be read, or nil.
func (i *Info) systemError() error {
	if fe, ok := i.Err.(*torch.FileError); ok && fe.Kind == nil { //nolint:errorlint // read made it
		return fe.Err
	}
	return nil
}

// Verify reads a checkpoint and verifies its checksums. The error is a [*torch.FileError].
func Verify(path string) error {
	f, size, err := fileerr.Open(format, path)
	if err != nil {
		return err
	}
	defer func() { _ = f.Close() }() // the file was only read, so closing it loses no data
	_, err = verify(path, f, size)
	return err
}

// indexIn returns the index of the best checkpoint in all whose path is not in bad. It
// returns -1 if there is none.
func (o BestOption) indexIn(all []Info, bad map[string]bool) int {
	at, value := -1, math.NaN()
	for i, info := range all {
		v, ok := info.Metrics[o.metric]
		if !ok || math.IsNaN(v) || info.Err != nil || bad[info.Path] {
			continue
		}
		if at < 0 || o.mode == ModeMin && v < value || o.mode == ModeMax && v > value {
			at, value = i, v
		}
	}
	return at
}
