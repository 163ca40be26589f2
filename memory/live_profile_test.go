package memory_test

import (
	"bytes"
	"io"
	"net/http"
	"net/http/httptest"
	_ "net/http/pprof"
	"os"
	"os/exec"
	"path/filepath"
	"runtime/pprof"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gotorch/gotorch/memory"
	"github.com/gotorch/gotorch/torch"
)

func sevenOfThem() []*torch.Tensor {
	var ts []*torch.Tensor
	for range 7 {
		ts = append(ts, torch.Zeros(torch.Shape{1 << 18})) // 1 MiB
	}
	return ts
}

func top(t *testing.T, profile []byte, index string) string {
	t.Helper()
	file := filepath.Join(t.TempDir(), "tensors.pb.gz")
	require.NoError(t, os.WriteFile(file, profile, 0o600))
	cmd := exec.Command("go", "tool", "pprof", "-top", "-cum", "-sample_index="+index, file)
	// "go tool" builds pprof first, and there may be no C compiler.
	cmd.Env = append(os.Environ(), "CGO_ENABLED=0")
	out, err := cmd.CombinedOutput()
	require.NoError(t, err, string(out))
	return string(out)
}

func TestProfileOpensInPprof(t *testing.T) {
	track(t, 1)
	torch.Scope(func() {
		sevenOfThem()
		var file bytes.Buffer
		require.NoError(t, memory.WriteTensorProfile(&file))
		assert.Regexp(t, `7MB\s+\S+%\s+\S*memory_test\.sevenOfThem`, top(t, file.Bytes(), "space"))
		assert.Regexp(t, `\s7\s+\S+%\s+\S*memory_test\.sevenOfThem`, top(t, file.Bytes(), "tensors"))
		assert.Regexp(t, `\s7\s+\S+%\s+\S*torch\.Zeros`, top(t, file.Bytes(), "tensors"))

		var looked bytes.Buffer
		p := pprof.Lookup(memory.ProfileName)
		require.NotNil(t, p)
		assert.GreaterOrEqual(t, p.Count(), 7)
		require.NoError(t, p.WriteTo(&looked, 0))
		assert.Contains(t, top(t, looked.Bytes(), "space"), "memory_test.sevenOfThem")
	})
}

func TestProfileIsServed(t *testing.T) {
	track(t, 1)
	server := httptest.NewServer(http.DefaultServeMux)
	defer server.Close()
	get := func(path string) []byte {
		r, err := http.Get(server.URL + path) //nolint:noctx // a server of the test's own
		require.NoError(t, err)
		defer r.Body.Close()
		require.Equal(t, http.StatusOK, r.StatusCode)
		body, err := io.ReadAll(r.Body)
		require.NoError(t, err)
		return body
	}
	torch.Scope(func() {
		sevenOfThem()
		assert.Contains(t, string(get("/debug/pprof/")), memory.ProfileName)
		assert.Regexp(t, `7\.0 MiB in 7 tensors: live_profile_test\.go:\d+ memory_test\.sevenOfThem`,
			string(get("/debug/pprof/"+memory.ProfileName+"?debug=1")))
		assert.Regexp(t, `7MB\s+\S+%\s+\S*memory_test\.sevenOfThem`,
			top(t, get("/debug/pprof/"+memory.ProfileName), "space"))
	})
}
