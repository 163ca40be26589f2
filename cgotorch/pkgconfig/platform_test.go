package pkgconfig_test

import (
	"os"
	"os/exec"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// A build without cgo, or for a system that libtorch does not support, fails with one
// line that tells the user what to do. The test is fast because the package imports
// nothing.
func TestBuildsThatFail(t *testing.T) {
	const (
		platform = "gotorch builds for linux/amd64, linux/arm64 and darwin/arm64; on other systems, see " +
			"https://github.com/gotorch/gotorch/blob/main/docs/platforms.md"
		cgo = "gotorch needs cgo: install g++ and do not set CGO_ENABLED=0; to build for another machine, see " +
			"https://github.com/gotorch/gotorch/blob/main/docs/platforms.md"
	)
	page, err := os.ReadFile("../../docs/troubleshooting.md")
	require.NoError(t, err)
	var told []string // by the compiler
	for line := range strings.Lines(string(page)) {
		if strings.HasPrefix(line, "cgotorch/pkgconfig/") {
			told = append(told, strings.TrimSpace(line))
		}
	}
	for _, c := range []struct{ system, enabled, want string }{
		{"windows/amd64", "0", platform},
		{"windows/amd64", "1", platform}, // what a build on Windows with a C compiler reports
		{"windows/arm64", "0", platform},
		{"freebsd/amd64", "0", platform},
		{"freebsd/amd64", "1", platform},
		{"darwin/amd64", "1", platform},
		{"linux/386", "0", platform},
		{"linux/386", "1", platform},
		{"linux/arm", "0", platform},
		{"linux/riscv64", "0", platform},
		{"linux/amd64", "0", cgo},
		{"linux/arm64", "0", cgo},
		{"darwin/arm64", "0", cgo},
	} {
		goos, goarch, _ := strings.Cut(c.system, "/")
		command := func(arguments ...string) *exec.Cmd {
			cmd := exec.Command("go", arguments...)
			cmd.Env = append(os.Environ(), "GOOS="+goos, "GOARCH="+goarch, "CGO_ENABLED="+c.enabled,
				"CC=false", "CXX=false", "PKG_CONFIG=false")
			return cmd
		}
		out, err := command("build", ".").CombinedOutput()
		require.Error(t, err, c.system)
		lines := strings.Split(strings.TrimSpace(string(out)), "\n")
		// one line for the package, one for the error
		require.Len(t, lines, 2, "%s: %s", c.system, out)
		assert.Contains(t, lines[1], c.want, c.system)
		assert.Contains(t, told, "cgotorch/pkgconfig/"+strings.TrimPrefix(lines[1], "./"), "in docs/troubleshooting.md")

		// No package that needs libtorch may be compiled before pkgconfig.
		deps, err := command("list", "-deps", "../../torch").Output()
		require.NoError(t, err, c.system)
		assert.Contains(t, string(deps), "gotorch/cgotorch/pkgconfig\n", c.system)
	}
}
