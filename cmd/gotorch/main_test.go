package main_test

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// program builds the command without cgo, as users without libtorch do.
var program = sync.OnceValues(func() (string, error) {
	dir, err := os.MkdirTemp("", "gotorch-test")
	if err != nil {
		return "", err
	}
	path := filepath.Join(dir, "gotorch")
	cmd := exec.Command("go", "build", "-buildvcs=false", "-o", path, ".")
	cmd.Env = append(os.Environ(), "CGO_ENABLED=0")
	if out, err := cmd.CombinedOutput(); err != nil {
		return "", errors.New(string(out))
	}
	return path, nil
})

func TestMain(m *testing.M) {
	code := m.Run()
	if path, err := program(); err == nil {
		_ = os.RemoveAll(filepath.Dir(path))
	}
	os.Exit(code)
}

// A call is one run of the command in a directory.
type call struct {
	dir, stdin string
	env        []string // added to the environment of the test
	args       []string
}

// run returns the exit status and what the command prints.
func (c call) run(t *testing.T) (status int, stdout, stderr string) {
	t.Helper()
	path, err := program()
	require.NoError(t, err)
	cmd := exec.Command(path, c.args...)
	var out, problems strings.Builder
	cmd.Dir, cmd.Env, cmd.Stdin = c.dir, append(os.Environ(), c.env...), strings.NewReader(c.stdin)
	cmd.Stdout, cmd.Stderr = &out, &problems
	err = cmd.Run()
	if exit := (*exec.ExitError)(nil); !errors.As(err, &exit) {
		require.NoError(t, err)
	}
	return cmd.ProcessState.ExitCode(), out.String(), problems.String()
}

func TestUsage(t *testing.T) {
	for args, want := range map[string]struct {
		status int
		says   string
	}{
		"":               {2, "usage: gotorch doctor"},
		"-h":             {0, "usage: gotorch doctor"},
		"help":           {0, "usage: gotorch doctor"},
		"nothing":        {2, `there is no command "nothing"`},
		"doctor -h":      {0, "usage: gotorch doctor"},
		"doctor x":       {2, "expected 0 arguments, got 1"},
		"doctor -x":      {2, "flag provided but not defined: -x"},
		"new":            {2, "expected 1 arguments, got 0"},
		"new -h":         {0, "usage: gotorch new"},
		"new .":          {2, `"." cannot be the name of a module`},
		"new -gotorch x": {2, "expected 1 arguments, got 0"},
	} {
		status, stdout, stderr := call{args: strings.Fields(args)}.run(t)
		assert.Equal(t, want.status, status, args)
		assert.Contains(t, stdout+stderr, want.says, args)
	}
}

// goSettings returns the Go settings that depend on the home directory, for calls with a
// different one.
func goSettings(t *testing.T) (env []string) {
	t.Helper()
	names := []string{"GOCACHE", "GOMODCACHE", "GOPATH"}
	out, err := exec.Command("go", append([]string{"env"}, names...)...).Output()
	require.NoError(t, err)
	for i, value := range strings.Split(strings.TrimSpace(string(out)), "\n") {
		env = append(env, names[i]+"="+value)
	}
	return env
}

// Where everything is there, doctor says so, and builds and runs a program.
func TestDoctor(t *testing.T) {
	status, stdout, stderr := call{args: []string{"doctor"}}.run(t)
	assert.Equal(t, 0, status, stdout+stderr)
	for _, part := range []string{
		"system", "Go", "compiler", "libtorch", "processor", "limits", "build", "threads", "allocator",
	} {
		assert.Regexp(t, `(?m)^ok   `+part+` `, stdout)
	}
	assert.NotContains(t, stdout, "FIX")
}

// pc writes a libtorch.pc into a directory.
func pc(t *testing.T, dir, version string) string {
	t.Helper()
	require.NoError(t, os.MkdirAll(dir, 0o700))
	text := "Name: libtorch\nDescription: a test\nVersion: " + version + "\nLibs: -L/somewhere/lib -ltorch_cpu\n"
	require.NoError(t, os.WriteFile(filepath.Join(dir, "libtorch.pc"), []byte(text), 0o600))
	return dir
}

// executable writes a script.
func executable(t *testing.T, path, text string) string {
	t.Helper()
	require.NoError(t, os.WriteFile(path, []byte("#!/bin/sh\n"+text), 0o700))
	return path
}

// For each thing that may be wrong, doctor says what to do, and exits with status 1.
func TestDoctorFindsWhatIsMissing(t *testing.T) {
	dir := t.TempDir()
	nowhere := filepath.Join(dir, "nowhere")
	installed := filepath.Join(dir, "data")
	pc(t, filepath.Join(installed, "gotorch", "libtorch-2.11.0", "lib", "pkgconfig"), "2.11.0")
	another := filepath.Join(dir, "another")
	require.NoError(t, os.Mkdir(another, 0o700))
	require.NoError(t, os.WriteFile(filepath.Join(another, "libtorch_cpu.so"), nil, 0o600))
	oldGo := filepath.Join(dir, "go")
	executable(t, oldGo, `[ "$2" = -json ] && echo '{"GOVERSION": "go1.25.9", "CGO_ENABLED": "1"}'`+"\n")
	for name, c := range map[string]struct {
		env  []string
		want []string
	}{
		"no Go": {
			[]string{"PATH=" + nowhere},
			[]string{"FIX  Go         the go command does not run", "https://go.dev/dl/", "-    libtorch"},
		},
		"an old Go":   {[]string{"PATH=" + dir}, []string{"FIX  Go         1.25.9 is too old"}},
		"no cgo":      {[]string{"CGO_ENABLED=0"}, []string{"but cgo is off"}},
		"no compiler": {[]string{"CXX=" + nowhere}, []string{"FIX  compiler", "does not run", "apt-get install g++"}},
		"an old compiler": {
			[]string{"CXX=" + executable(t, filepath.Join(dir, "cxx"), "echo 9.4.0\n")},
			[]string{"FIX  compiler   9.4.0 is too old"},
		},
		"libtorch is not installed": {
			[]string{"PKG_CONFIG_PATH=" + nowhere, "XDG_DATA_HOME=" + nowhere},
			[]string{"FIX  libtorch   is not installed", "bash ", "scripts/install_libtorch.sh --print-env"},
		},
		"libtorch is unknown to the shell": {
			[]string{"PKG_CONFIG_PATH=" + nowhere, "XDG_DATA_HOME=" + installed},
			[]string{"2.11.0 is in /somewhere, but this shell does not know it", `eval "$(bash `},
		},
		"an old libtorch": {
			[]string{"PKG_CONFIG_PATH=" + pc(t, filepath.Join(dir, "old"), "2.9.1")},
			[]string{"FIX  libtorch   2.9.1 is too old"},
		},
		"another libtorch": {[]string{"LD_LIBRARY_PATH=" + another}, []string{"has another libtorch: " + another}},
	} {
		t.Run(name, func(t *testing.T) {
			env := append(goSettings(t), c.env...)
			status, stdout, stderr := call{args: []string{"doctor", "-quick"}, env: env}.run(t)
			assert.Equal(t, 1, status, stdout+stderr)
			for _, want := range c.want {
				assert.Contains(t, stdout, want)
			}
		})
	}
}

// A program that does not build is a finding too.
func TestDoctorReportsTheCompiler(t *testing.T) {
	env := []string{"CGO_CXXFLAGS=-include /nowhere/missing.h"}
	status, stdout, _ := call{args: []string{"doctor"}, env: env}.run(t)
	assert.Equal(t, 1, status)
	assert.Contains(t, stdout, "FIX  build      a program does not build")
	assert.Contains(t, stdout, "missing.h")
	assert.Contains(t, stdout, "troubleshooting.md")
}

// A new project builds, trains and passes its tests.
func TestNew(t *testing.T) {
	root, err := filepath.Abs("../..")
	require.NoError(t, err)
	dir := t.TempDir()
	new := call{dir: dir, args: []string{"new", "-gotorch", root, "first"}}
	status, stdout, stderr := new.run(t)
	require.Equal(t, 0, status, stderr)
	assert.Contains(t, stdout, "cd first\n    make\n")
	status, _, stderr = new.run(t)
	assert.Equal(t, 1, status)
	assert.Contains(t, stderr, "first exists and is not empty")
	for _, file := range []string{".gitignore", "Makefile", "README.md", "data/points.csv", "main_test.go"} {
		assert.FileExists(t, filepath.Join(dir, "first", file))
	}

	in := func(name string, args ...string) string {
		cmd := exec.Command(name, args...)
		cmd.Dir, cmd.Env = filepath.Join(dir, "first"), append(os.Environ(), "GOWORK=off")
		out, err := cmd.CombinedOutput()
		require.NoError(t, err, "%s", out)
		return string(out)
	}
	trained := in("go", "run", "-buildvcs=false", ".", "-epochs", "2")
	assert.Regexp(t, `(?m)^epoch 2: loss 0\.\d+, accuracy 0\.\d+$`, trained)
	assert.Contains(t, in("go", "test", "./..."), "ok")
	assert.FileExists(t, filepath.Join(dir, "first", "runs", "first", "model.safetensors"))
	if _, err := exec.LookPath("make"); err == nil {
		assert.Contains(t, in("make", "-n"), "go run .")
	}
}

func TestNewFromNoCheckout(t *testing.T) {
	dir := t.TempDir()
	status, _, stderr := call{dir: dir, args: []string{"new", "-gotorch", dir, "first"}}.run(t)
	assert.Equal(t, 1, status)
	assert.Contains(t, stderr, "go.mod: no such file or directory")
	require.NoError(t, os.WriteFile(filepath.Join(dir, "go.mod"), []byte("module other\n"), 0o600))
	status, _, stderr = call{dir: dir, args: []string{"new", "-gotorch", dir, "first"}}.run(t)
	assert.Equal(t, 1, status)
	assert.Contains(t, stderr, "is not a checkout of github.com/gotorch/gotorch")
	assert.NoDirExists(t, filepath.Join(dir, "first"))
}

// gotorch tensors does what the command tensors does, with its exit status.
func TestTensors(t *testing.T) {
	env := append(goSettings(t), "XDG_CACHE_HOME="+t.TempDir())
	file, err := filepath.Abs("../../torch/numpy/testdata/golden/float32.npy")
	require.NoError(t, err)
	status, stdout, stderr := call{args: []string{"tensors", file}, env: env}.run(t)
	require.Equal(t, 0, status, stderr)
	assert.Contains(t, stdout, "float32")
	assert.Contains(t, stderr, "building the program")

	text, err := os.ReadFile(file)
	require.NoError(t, err)
	status, again, stderr := call{args: []string{"tensors", "ls", "-"}, env: env, stdin: string(text)}.run(t)
	assert.Equal(t, 0, status)
	assert.Contains(t, again, "float32")
	assert.Empty(t, stderr, "the program is built once")

	status, _, stderr = call{args: []string{"tensors", "/nowhere"}, env: env}.run(t)
	assert.Equal(t, 1, status)
	assert.Contains(t, stderr, "no such file or directory")
	status, _, _ = call{args: []string{"tensors", "diff", file}, env: env}.run(t)
	assert.Equal(t, 2, status)
}

// A folder with files to look at may be a stranger's module, whose go.mod names a source that
// runs programs.
func TestTensorsInAModule(t *testing.T) {
	env := append(goSettings(t), "XDG_CACHE_HOME="+t.TempDir(), "GOFLAGS=-mod=mod", "GOPROXY=off")
	file, err := filepath.Abs("../../torch/numpy/testdata/golden/float32.npy")
	require.NoError(t, err)
	dir, ran := t.TempDir(), filepath.Join(t.TempDir(), "ran")
	const name = "github.com/gotorch/gotorch"
	const gomod = "module m\n\nrequire " + name + " v0.0.0\n\nreplace " + name + " => ./other\n"
	for path, text := range map[string]string{
		"go.mod":                             gomod,
		"other/go.mod":                       "module " + name + "\n",
		"other/scripts/install_libtorch.sh":  "touch " + ran + "\n",
		"other/torch/cmd/tensors/tensors.go": "package main\n\nfunc main() { println(\"stranger\") }\n",
	} {
		path = filepath.Join(dir, path)
		require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o700))
		require.NoError(t, os.WriteFile(path, []byte(text), 0o600))
	}
	status, stdout, stderr := call{dir: dir, args: []string{"tensors", file}, env: env}.run(t)
	assert.Equal(t, 0, status, stderr)
	assert.NotContains(t, stderr, "stranger")
	assert.Contains(t, stdout, "float32")
	assert.NoFileExists(t, ran)
}
