package hub_test

import (
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// Two processes that want a file at the same time download it once.
func TestTwoProcesses(t *testing.T) {
	const child = "GOTORCH_TEST_HUB_CHILD"
	if os.Getenv(child) != "" {
		path, err := file(t, "model.safetensors")
		require.NoError(t, err)
		fmt.Println("path:", path)
		return
	}
	s := newServer(t)
	both := make(chan struct{})
	var asked atomic.Int64
	s.set(func(_ http.ResponseWriter, r *http.Request, _ stored) bool {
		if r.Method == http.MethodHead && asked.Add(1) == 2 {
			close(both)
		}
		if s.isCDN(r) {
			<-both // the other process has asked, too
		}
		return false
	})
	var wg sync.WaitGroup
	for range 2 {
		wg.Go(func() {
			cmd := exec.CommandContext(t.Context(), os.Args[0], "-test.run=^TestTwoProcesses$")
			cmd.Env = append(os.Environ(), child+"=1")
			out, err := cmd.CombinedOutput()
			if !assert.NoError(t, err, "%s", out) {
				return
			}
			_, path, _ := strings.Cut(string(out), "path: ")
			path, _, _ = strings.Cut(path, "\n")
			got, err := os.ReadFile(path)
			if assert.NoError(t, err) {
				assert.Equal(t, string(s.files["model.safetensors"].data), string(got))
			}
		})
	}
	wg.Wait()
	assert.Equal(t, 1, strings.Count(strings.Join(s.requests(), "\n"), "/blobs/"))
}
