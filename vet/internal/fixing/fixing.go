package fixing

import (
	"errors"
	"fmt"
	"go/format"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/tools/go/packages"
)

// rounds limits how many times Run checks the packages and applies fixes.
const rounds = 20

// later are the checks whose fixes put other code into a scope. These fixes are applied
// after the fixes of other checks, which change that code.
var later = []string{"looptensor", "deferloop"}

// Run fixes the packages in args, which may also contain flags of go vet. It runs the
// checks of tool, applies the first fix of each report, and repeats this until no fix is
// left. It prints each fix to out. A fix that keeps a package from compiling is skipped
// before any file is written. Run returns the reports that remain, one per line.
func Run(dir, tool string, args []string, out io.Writer) (left []string, err error) {
	f := &fixer{dir: dir, args: args, refused: map[string]bool{}}
	if err := f.list(); err != nil {
		return nil, err
	}
	for range rounds {
		reports, err := vet(dir, tool, args)
		if err != nil {
			return nil, err
		}
		left = left[:0]
		for _, r := range reports {
			left = append(left, fmt.Sprintf("%s: %s: %s", f.place(r), r.Check, r.Message))
		}
		done, err := f.round(reports)
		for _, d := range done {
			fmt.Fprintf(out, "%s: %s: %s\n", f.place(d.report), d.report.Check, d.fix.Message)
		}
		if err != nil || len(done) == 0 {
			return left, err
		}
	}
	return left, nil
}

type fixer struct {
	dir     string
	args    []string
	refused map[string]bool // the keys of fixes that keep a package from compiling
	files   map[string]bool // the files of the packages in args
}

// list finds the files of the packages in args. A directive //line in one of them may name any other
// file, which no fix may change.
func (f *fixer) list() error {
	pkgs, err := packages.Load(&packages.Config{
		Mode:       packages.NeedFiles,
		Dir:        f.dir,
		Tests:      true,
		BuildFlags: buildFlags(f.args),
	}, slices.DeleteFunc(slices.Clone(f.args), func(a string) bool { return strings.HasPrefix(a, "-") })...)
	if err != nil {
		return err
	}
	f.files = map[string]bool{}
	for _, p := range pkgs {
		for _, name := range p.GoFiles {
			f.files[name] = true
		}
	}
	return nil
}

// changesOthers reports whether a fix changes a file of another package.
func (f *fixer) changesOthers(c chosen) bool {
	return slices.ContainsFunc(c.fix.Edits, func(e edit) bool { return !f.files[e.File] })
}

// chosen is a fix to apply.
type chosen struct {
	report report
	fix    fix
}

// key identifies a fix even after other fixes have moved the code.
func (c chosen) key() string {
	var b strings.Builder
	b.WriteString(c.report.Check + c.report.Message + c.fix.Message)
	for _, e := range c.fix.Edits {
		b.WriteString(e.File + e.New)
	}
	return b.String()
}

// round applies as many fixes as possible that do not overlap, and returns them.
func (f *fixer) round(reports []report) ([]chosen, error) {
	var picked []chosen
	for _, last := range []bool{false, true} {
		for _, r := range reports {
			if len(r.Fixes) == 0 || slices.Contains(later, r.Check) != last {
				continue
			}
			c := chosen{r, r.Fixes[0]}
			if last && slices.ContainsFunc(picked, func(p chosen) bool {
				return !slices.Contains(later, p.report.Check) && sameFile(p.fix, c.fix)
			}) {
				continue // the next round applies it
			}
			if len(c.fix.Edits) == 0 || f.changesOthers(c) || f.refused[c.key()] {
				continue
			}
			if !slices.ContainsFunc(picked, func(p chosen) bool { return touch(p.fix, c.fix) }) {
				picked = append(picked, c)
			}
		}
	}
	if len(picked) == 0 {
		return nil, nil
	}
	files, err := apply(picked)
	if err == nil {
		err = f.compiles(files)
	}
	if err == nil {
		return picked, write(files)
	}
	// The fixes do not compile together. Add one at a time, and skip fixes that break the
	// build.
	var good []chosen
	for _, c := range picked {
		with := append(slices.Clone(good), c)
		files, err := apply(with)
		if err == nil {
			err = f.compiles(files)
		}
		if err != nil {
			f.refused[c.key()] = true
			continue
		}
		good = with
	}
	if len(good) == 0 {
		return nil, nil
	}
	if files, err = apply(good); err != nil {
		return nil, err
	}
	return good, write(files)
}

// sameFile reports whether two fixes change the same file.
func sameFile(a, b fix) bool {
	return slices.ContainsFunc(a.Edits, func(x edit) bool {
		return slices.ContainsFunc(b.Edits, func(y edit) bool { return x.File == y.File })
	})
}

// touch reports whether two fixes change the same or adjacent bytes of a file.
func touch(a, b fix) bool {
	for _, x := range a.Edits {
		for _, y := range b.Edits {
			if x.File == y.File && x.Start <= y.End && y.Start <= x.End {
				return true
			}
		}
	}
	return false
}

// apply returns the formatted text of each changed file after the fixes.
func apply(fixes []chosen) (map[string][]byte, error) {
	byFile := map[string][]edit{}
	for _, c := range fixes {
		for _, e := range c.fix.Edits {
			byFile[e.File] = append(byFile[e.File], e)
		}
	}
	files := map[string][]byte{}
	for name, edits := range byFile {
		text, err := os.ReadFile(name)
		if err != nil {
			return nil, err
		}
		slices.SortStableFunc(edits, func(a, b edit) int { return a.Start - b.Start })
		var b []byte
		at := 0
		for _, e := range edits {
			if e.Start < at || e.End < e.Start || e.End > len(text) {
				return nil, fmt.Errorf("%s: the edits do not fit the file", name)
			}
			b = append(append(b, text[at:e.Start]...), e.New...)
			at = e.End
		}
		if files[name], err = format.Source(append(b, text[at:]...)); err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
	}
	return files, nil
}

// compiles returns an error if the packages that contain files would not compile with
// these texts.
func (f *fixer) compiles(files map[string][]byte) error {
	var patterns []string
	for name := range files {
		patterns = append(patterns, "file="+name)
	}
	slices.Sort(patterns)
	pkgs, err := packages.Load(&packages.Config{
		Mode:       packages.LoadSyntax,
		Dir:        f.dir,
		Tests:      true,
		Overlay:    files,
		BuildFlags: buildFlags(f.args),
	}, patterns...)
	if err != nil {
		return err
	}
	if len(pkgs) == 0 {
		return fmt.Errorf("no package has the files %v", slices.Collect(maps.Keys(files)))
	}
	for _, p := range pkgs {
		for _, e := range p.Errors {
			return e
		}
	}
	return nil
}

// buildFlags returns the flags of go vet that affect the build.
func buildFlags(args []string) []string {
	var flags []string
	for _, a := range args {
		for _, name := range []string{"-tags=", "--tags=", "-mod=", "-modfile="} {
			if strings.HasPrefix(a, name) {
				flags = append(flags, a)
			}
		}
	}
	return flags
}

// write replaces each file atomically: it writes a temporary file and renames it.
func write(files map[string][]byte) error {
	for _, name := range slices.Sorted(maps.Keys(files)) {
		if err := replace(name, files[name]); err != nil {
			return err
		}
	}
	return nil
}

// replace replaces a file. The name of the temporary file is new, because the program may be a
// stranger's, and have a link at a name that can be guessed.
func replace(name string, text []byte) error {
	info, err := os.Stat(name)
	if err != nil {
		return err
	}
	temp, err := os.CreateTemp(filepath.Dir(name), filepath.Base(name)+".torchvet-*")
	if err != nil {
		return err
	}
	_, err = temp.Write(text)
	err = errors.Join(err, temp.Chmod(info.Mode().Perm()), temp.Close())
	if err == nil {
		err = os.Rename(temp.Name(), name)
	}
	if err != nil {
		_ = os.Remove(temp.Name()) // the first error is more important
	}
	return err
}

// place returns the file and line of a report as "file:line", which editors can open.
func (f *fixer) place(r report) string {
	parts := strings.Split(r.Posn, ":")
	if len(parts) < 3 {
		return r.Posn
	}
	line, err := strconv.Atoi(parts[len(parts)-2])
	if err != nil {
		return r.Posn
	}
	return fmt.Sprintf("%s:%d", short(f.dir, strings.Join(parts[:len(parts)-2], ":")), line)
}
