package serialization_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gotorch/gotorch/internal/filetest"
	"github.com/gotorch/gotorch/torch"
	"github.com/gotorch/gotorch/torch/serialization"
	"github.com/gotorch/gotorch/torchtest"
)

type malformed struct{ name, kind, part string }

func malformedFiles(t testing.TB) []malformed {
	t.Helper()
	text, err := os.ReadFile("testdata/malformed.txt")
	require.NoError(t, err)
	var out []malformed
	for line := range strings.Lines(string(text)) {
		f := strings.SplitN(strings.TrimSuffix(line, "\n"), " ", 3)
		out = append(out, malformed{f[0], f[1], f[2]})
	}
	return out
}

var kinds = map[string]error{
	"format": torch.ErrFormat, "truncated": torch.ErrTruncated,
	"unsupported": torch.ErrUnsupported, "unsafe": serialization.ErrUnsafe,
	"device": torch.ErrDevice,
}

// limit is the memory that reading a file may take. The worst case for the factor is nested
// lists. A list, "](", takes two bytes of the pickle. In Go it takes 48 bytes, and 16 bytes
// in the enclosing list. The stacks, including outgrown ones, take up to 4 times 24 bytes:
// 16 for the value and 8 for the mark. The sum is 160 bytes, which is 80 times two.
var limit = filetest.Limit{Bytes: 256 << 10, Times: 80}

// Each damaged or malicious file returns an error that says what is wrong, and leaves no tensor open.
func TestMalformedFiles(t *testing.T) {
	files := malformedFiles(t)
	require.GreaterOrEqual(t, len(files), 140)
	for _, m := range files {
		t.Run(m.name, func(t *testing.T) {
			path := filepath.Join("testdata", "malformed", m.name+".pt")
			info, err := os.Stat(path)
			require.NoError(t, err)
			// The first file refers 2^60 times to a list, and the second one has a key that is a
			// tuple nested 40 levels deep. Reading them would take exponential time if each
			// reference made a new list, or if an error quoted all parts of the key.
			if m.name == "pickle_doubling" || m.name == "pickle_key_nested" {
				defer torchtest.CheckLeaks(t)()
				_, err := serialization.Load(path)
				require.NoError(t, err)
				return
			}
			fe := filetest.Refused(t, path, info.Size(), kinds[m.kind], limit, func() error {
				v, err := serialization.Load(path)
				assert.Nil(t, v)
				return err
			})
			err = fe
			assert.Contains(t, err.Error(), m.part)
			if errors.Is(err, serialization.ErrUnsafe) {
				r := (*serialization.RefusedError)(nil)
				require.ErrorAs(t, err, &r)
				assert.Positive(t, r.Offset)
			}
			defer torchtest.CheckLeaks(t)()
			// Inspect may return an error too, but it must be a *FileError.
			_, err = serialization.Inspect(path)
			if err != nil {
				require.ErrorAs(t, err, &fe)
			}
			// These options do not make the files valid.
			opts := []serialization.LoadOption{
				serialization.Opaque(true), serialization.VerifyCRC32(false),
				serialization.Mmap(true),
			}
			for i := range opts {
				torch.Scope(func() {
					_, err := serialization.Load(path, opts[:i+1]...)
					if err != nil {
						require.ErrorAs(t, err, &fe)
					}
				})
			}
		})
	}
}

// The error for a file in a different format names the package that reads it.
func TestFilesOfOtherFormats(t *testing.T) {
	defer torchtest.CheckLeaks(t)()
	for path, reads := range map[string]string{
		"../numpy/testdata/golden/every_stored.npz":          "torch/numpy",
		"../jit/testdata/goldens/values.pt":                  "torch/jit",
		"../safetensors/testdata/goldens/dtypes.safetensors": "torch/safetensors",
	} {
		_, err := serialization.Load(path)
		require.ErrorIs(t, err, torch.ErrUnsupported, path)
		assert.ErrorContains(t, err, reads)
	}
}
