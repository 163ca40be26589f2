package docs_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gotorch/gotorch/internal/docblocks"
)

// Blocks of shell commands are valid Bash. Every make target, script, package, program
// and flag that they name exists.
func TestCommands(t *testing.T) {
	blocks, err := docblocks.Read(repository)
	require.NoError(t, err)
	c := readCommands(t)
	checked, page, dir := 0, "", ""
	for _, b := range blocks {
		switch b.Lang {
		case "sh":
		case "go", "python", "text", "":
			assert.False(t, b.Lang == "" && ours.MatchString(b.Source), "%s: a block of commands is ```sh", b.Place())
			continue
		default:
			t.Errorf("%s: nobody tests blocks of %s", b.Place(), b.Lang)
		}
		checked++
		if b.Page != page {
			page, dir = b.Page, ""
		}
		wrong, end := c.wrong(b.Source, dir)
		if len(wrong) > 0 { // the block may begin in the repository's folder, like a new shell
			wrong, end = c.wrong(b.Source, "")
		}
		dir = end
		assert.Empty(t, wrong, b.Place())
		bash := exec.Command("bash", "-n")
		bash.Stdin = strings.NewReader(b.Source)
		out, err := bash.CombinedOutput()
		assert.NoError(t, err, "%s: %s", b.Place(), out)
	}
	assert.Greater(t, checked, 20)
}

// ours matches a line that starts with a command. Such a block must be marked as sh.
var ours = regexp.MustCompile(`(?m)^(make|go|python|scripts/\S+|cd) \w*`)

func TestWrongCommands(t *testing.T) {
	c := readCommands(t)
	for line, wrong := range map[string]bool{
		"make test PKG=./torch/...":                           false,
		"make nothing":                                        true,
		"make test NOTHING=1":                                 true,
		"make test MODE=race PKG=./torch":                     false,
		"make test MODE='race asan'":                          false,
		"make test MODE=nothing":                              true,
		"make fmt MODE=race":                                  true,
		"go run ./bench/cmd/bench -list":                      false,
		"go run ./bench/cmd/bench -nothing":                   true,
		"go run ./bench/cmd/nothing":                          true,
		"cd examples\ngo run ./gpt -steps 3 # a comment -x":   false,
		"cd examples\ngo run ./gpt -nothing 3":                true,
		"cd nothing":                                          true,
		"mkdir nothing\ncd nothing":                           false,
		"python examples/gpt/reference.py --text x":           false,
		"python examples/gpt/reference.py --nothing":          true,
		"python nothing.py":                                   true,
		"bash scripts/nothing.sh":                             true,
		"eval \"$(scripts/install_libtorch.sh --print-env)\"": false,
		"eval \"$(scripts/install_libtorch.sh --nothing)\"":   true,
		"go get github.com/gotorch/gotorch/torch/gonum":       false,
		"go get github.com/gotorch/gotorch/vision":            false,
		"go get github.com/gotorch/gotorch/nothing":           true,
		"go test ./nothing/...":                               true,
		"tensors stats -match x y":                            false,
		"tensors stats -nothing y":                            true,
		"gotorch doctor -quick":                               false,
		"go run ./cmd/gotorch new x\ncd x && make train":      false,
		"gotorch doctor -nothing":                             true,
		"gotorch tensors stats -match x y":                    false,
		"gotorch tensors stats -nothing y":                    true,
		"nothing x":                                           true,
	} {
		found, _ := c.wrong(line, "")
		assert.Equal(t, wrong, len(found) > 0, line)
	}
}

// commands contains the make targets, variables and files that commands may name.
type commands struct {
	root, makefile string
	targets        map[string][]string // the modes of each make target
}

func readCommands(t *testing.T) *commands {
	t.Helper()
	makefile, err := os.ReadFile(filepath.Join(repository, "Makefile"))
	require.NoError(t, err)
	c := &commands{repository, string(makefile), map[string][]string{}}
	for _, m := range target.FindAllStringSubmatch(c.makefile, -1) {
		name, mode, moded := strings.Cut(m[1], ".")
		if c.targets[name] = append(c.targets[name], mode); !moded {
			// The Makefile has a target's own rule before the rules of its modes. Drop
			// the empty mode that this rule adds.
			c.targets[name] = []string{}
		}
	}
	return c
}

var (
	target  = regexp.MustCompile(`(?m)^([a-z]+(?:\.[a-z0-9-]+)?):.* ## `)
	comment = regexp.MustCompile(`(?m)(^|\s)#.*$`)
	// word matches one word of a command, which may contain quotes or be an assignment.
	word = regexp.MustCompile(`(?:[^\s"'();|&<>$]|\$\w+|"[^"]*"|'[^']*')+`)
	// ends matches the separators between commands.
	ends = regexp.MustCompile(`\n|&&|\|\|?|;|[()]`)
	// within matches a command substitution, such as $(command).
	within = regexp.MustCompile(`"?\$\(([^()]*)\)"?`)
	set    = regexp.MustCompile(`^\w+=`)
)

// own maps the programs of this repository to their directories.
var own = map[string]string{"gotorch": "cmd/gotorch", "tensors": "torch/cmd/tensors", "torchvet": "vet"}

// foreign are the other programs that commands may call.
var foreign = strings.Fields("apt-get bash cd curl docker eval export g++ git kubectl mkdir pip pip3 python python3 " +
	"sudo systemctl tensorboard unset unzip which")

// wrong returns a message for each name in the commands src that does not exist. The
// commands start in the directory dir, and end is the directory in which they end.
func (c *commands) wrong(src, dir string) (wrong []string, end string) {
	made := map[string]bool{}
	for line := range strings.SplitSeq(apart(src), "\n") {
		words := word.FindAllString(line, -1)
		for len(words) > 0 && set.MatchString(words[0]) {
			words = words[1:]
		}
		if len(words) == 0 || dir == "elsewhere" {
			continue
		}
		name, args := words[0], words[1:]
		switch {
		case name == "make":
			wrong = append(wrong, c.make(args)...)
		case name == "go" && len(args) > 0:
			wrong = append(wrong, c.goTool(dir, args)...)
			if i := slices.Index(args, "new"); i > 0 && strings.Contains(args[i-1], "cmd/gotorch") && i+1 < len(args) {
				made[args[i+1]] = true // gotorch new makes this directory
			}
		case name == "cd" && len(args) == 1 && made[args[0]]:
			dir = "elsewhere"
		case name == "cd" && len(args) == 1:
			if dir = filepath.Join(dir, args[0]); !c.there(dir) {
				wrong = append(wrong, "no folder "+dir)
			}
		case name == "mkdir" && len(args) > 0:
			made[args[len(args)-1]] = true
		case name == "gotorch" && len(args) > 0 && args[0] == "tensors":
			wrong = append(wrong, c.flags(own["tensors"], args[1:])...)
		case own[name] != "":
			wrong = append(wrong, c.flags(own[name], args)...)
		case strings.HasSuffix(name, ".sh"):
			wrong = append(wrong, c.script(dir, words)...)
		case (name == "python" || name == "_") && len(args) > 2 && args[0] == "-m" &&
			args[1] == "torch.distributed.run":
			// This is torchrun. Its argument is a script, or a program that an earlier
			// command builds.
		case (name == "bash" || name == "python" || name == "_") && len(args) > 0 && !strings.ContainsAny(args[0],
			"$-"):
			wrong = append(wrong, c.script(dir, args)...)
		case strings.HasPrefix(name, "./program"), strings.HasPrefix(name, `"`):
		default:
			if !slices.Contains(foreign, name) {
				wrong = append(wrong, "what is "+name+"?")
			}
		}
	}
	return wrong, dir
}

// apart puts each command on a line of its own. A command in $() comes before the command
// that uses its output.
func apart(src string) string {
	var lines strings.Builder
	for line := range strings.Lines(comment.ReplaceAllString(src, "")) {
		line = within.ReplaceAllStringFunc(line, func(s string) string {
			lines.WriteString(strings.Trim(s, `"$()`) + "\n")
			return "_"
		})
		lines.WriteString(ends.ReplaceAllString(line, "\n"))
	}
	return lines.String()
}

func (c *commands) there(path string) bool {
	_, err := os.Stat(filepath.Join(c.root, path))
	return err == nil
}

func (c *commands) make(args []string) (wrong []string) {
	var modes []string
	for _, a := range args {
		name, value, isVariable := strings.Cut(a, "=")
		switch {
		case isVariable && !strings.Contains(c.makefile, "$("+name):
			wrong = append(wrong, "make has no variable "+name)
		case name == "MODE" && isVariable:
			modes = strings.Fields(strings.Trim(value, `'"`))
		case !isVariable && c.targets[a] == nil:
			wrong = append(wrong, "make has no target "+a)
		}
	}
	for _, a := range args {
		for _, mode := range modes {
			if its := c.targets[a]; its != nil && !slices.Contains(its, mode) {
				wrong = append(wrong, "make "+a+" has no MODE="+mode)
			}
		}
	}
	return wrong
}

// script checks that the script words[0] exists, and that its text contains each flag.
func (c *commands) script(dir string, words []string) (wrong []string) {
	path := filepath.Join(dir, words[0])
	text, err := os.ReadFile(filepath.Join(c.root, path))
	if err != nil {
		return []string{"no script " + path}
	}
	for _, a := range words[1:] {
		if name, _, _ := strings.Cut(a, "="); strings.HasPrefix(a, "--") && !strings.Contains(string(text), name) {
			wrong = append(wrong, path+" has no flag "+a)
		}
	}
	return wrong
}

// goTool checks that the packages in the arguments of the go command exist. For go run,
// it also checks the flags of the program.
func (c *commands) goTool(dir string, args []string) (wrong []string) {
	const module = "github.com/gotorch/gotorch"
	for i, a := range args[1:] {
		a, _, _ = strings.Cut(a, "@")
		folder := filepath.Join(dir, a)
		switch {
		case strings.HasPrefix(a, module):
			folder = strings.TrimPrefix(strings.TrimPrefix(a, module), "/")
		case !strings.HasPrefix(a, "./"):
			continue
		}
		folder = strings.TrimSuffix(folder, "...")
		if !c.there(folder) {
			wrong = append(wrong, "no package "+a)
		} else if args[0] == "run" {
			return append(wrong, c.flags(folder, args[i+2:])...)
		}
	}
	return wrong
}

// flags checks that the source of the program in folder defines each flag in args.
func (c *commands) flags(folder string, args []string) (wrong []string) {
	var src strings.Builder
	err := filepath.WalkDir(filepath.Join(c.root, folder), func(path string, d os.DirEntry, err error) error {
		if err != nil || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") {
			return err
		}
		text, err := os.ReadFile(path)
		src.Write(text)
		return err
	})
	if err != nil {
		return []string{err.Error()}
	}
	for _, a := range args {
		name := strings.TrimLeft(a, "-")
		if name == a || name == "h" || name == "help" || name == "fix" && folder == "vet" {
			continue
		}
		if !regexp.MustCompile(`((String|Bool|Int|Float|Duration|Func|Uint)\w*|Var)\([^"\n]*"` +
			regexp.QuoteMeta(name) + `"|Name: *"` + regexp.QuoteMeta(name) + `"`).MatchString(src.String()) {
			wrong = append(wrong, folder+" has no flag -"+name)
		}
	}
	return wrong
}
