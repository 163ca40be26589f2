package main

import (
	"debug/macho"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestStubsOfGo(t *testing.T) {
	dir := t.TempDir()
	goroot, err := exec.Command("go", "env", "GOROOT").Output()
	require.NoError(t, err)
	require.NoError(t, writeStubs(strings.TrimSpace(string(goroot)), dir))
	for name, says := range map[string]string{
		"CoreFoundation.framework/CoreFoundation.tbd": "install-name: " +
			"'/System/Library/Frameworks/CoreFoundation.framework/Versions/A/CoreFoundation'",
		"Security.framework/Security.tbd": "_SecTrustEvaluateWithError",
		"libresolv.tbd":                   "install-name: '/usr/lib/libresolv.9.dylib'",
	} {
		text, err := os.ReadFile(filepath.Join(dir, name))
		require.NoError(t, err)
		assert.Contains(t, string(text), says)
	}
	assert.NoFileExists(t, filepath.Join(dir, "libSystem.tbd"))
	assert.ErrorContains(t, writeStubs(filepath.Join("testdata", "none"), dir), "no such file")
}

func TestReadProgram(t *testing.T) {
	dir := t.TempDir()
	source, program := filepath.Join(dir, "main.go"), filepath.Join(dir, "program")
	require.NoError(t, os.WriteFile(source, []byte("package main\n\nfunc main() {}\n"), 0o600))
	build := exec.Command("go", "build", "-o", program, source)
	build.Env = append(os.Environ(), "GOOS=darwin", "GOARCH=arm64", "CGO_ENABLED=0")
	out, err := build.CombinedOutput()
	require.NoError(t, err, "%s", out)

	p, err := read(program)
	require.NoError(t, err)
	assert.Equal(t, macho.CpuArm64, p.cpu)
	assert.True(t, p.adHoc, "Go's linker signs for arm64")
	assert.Contains(t, p.libraries, libSystem)
	assert.Regexp(t, `^\d+\.\d+$`, p.least)
	assert.ErrorContains(t, p.fault("/lib"), "expected the rpath /lib once, got []")
	_, err = read(source)
	assert.Error(t, err)
	assert.Error(t, run([]string{"check", "/lib", program, source}))
}

func TestFaults(t *testing.T) {
	good := program{
		cpu: macho.CpuArm64, kind: macho.TypeExec, least: "14.0", adHoc: true, rpaths: []string{"/lib"},
		libraries: []string{"@rpath/libtorch_cpu.dylib", "@rpath/libc10.dylib", "/usr/lib/libc++.1.dylib"},
	}
	assert.NoError(t, good.fault("/lib"))
	for says, change := range map[string]func(*program){
		"for arm64":              func(p *program) { p.cpu = macho.CpuAmd64 },
		"got Dylib":              func(p *program) { p.kind = macho.TypeDylib },
		"which macOS":            func(p *program) { p.least = "" },
		"not signed":             func(p *program) { p.adHoc = false },
		"/lib once":              func(p *program) { p.rpaths = []string{"/lib", "/lib"} },
		"not load @rpath/libc10": func(p *program) { p.libraries = p.libraries[:1] },
		"loads /opt/libx.dylib, which a Mac": func(p *program) {
			p.libraries = append(p.libraries[:3:3], "/opt/libx.dylib")
		},
	} {
		p := good
		change(&p)
		assert.ErrorContains(t, p.fault("/lib"), says)
	}
}

func TestAdHoc(t *testing.T) {
	word := func(n uint32) []byte { return []byte{byte(n >> 24), byte(n >> 16), byte(n >> 8), byte(n)} }
	join := func(words ...uint32) (b []byte) {
		for _, w := range words {
			b = append(b, word(w)...)
		}
		return b
	}
	assert.True(t, adHoc(join(0xfade0cc0, 36, 1, 0, 20, 0xfade0c02, 16, 0x20400, 2)))
	assert.False(t, adHoc(join(0xfade0cc0, 36, 1, 0, 20, 0xfade0c02, 16, 0x20400, 0)))
	assert.False(t, adHoc(join(0xfade0cc0, 36, 1, 0, 1<<31, 0xfade0c02, 16, 0x20400, 2)), "a place outside")
	assert.False(t, adHoc(join(0xfade0cc0, 12, 1<<31)))
	assert.False(t, adHoc(nil))
}
