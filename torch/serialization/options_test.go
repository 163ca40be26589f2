package serialization_test

import (
	"bytes"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gotorch/gotorch/internal/compilefail"
	"github.com/gotorch/gotorch/internal/mapped"
	"github.com/gotorch/gotorch/internal/optiontest"
	"github.com/gotorch/gotorch/torch"
	"github.com/gotorch/gotorch/torch/serialization"
	"github.com/gotorch/gotorch/torchtest"
)

// The test uses each option alone, after a different value of the option, and together
// with a nil option.
func TestOptions(t *testing.T) {
	defer torchtest.CheckLeaks(t)()
	// read describes the tensors of some files: on which device they are, whether they are
	// mapped, and which files are refused.
	read := func(load func(path string) (any, error)) optiontest.Outcome {
		var out strings.Builder
		torch.Scope(func() {
			v, err := load(golden("checkpoint.pth"))
			fmt.Fprintln(&out, err, mapped.Live())
			if m, ok := v.(map[string]*torch.Tensor); ok {
				fmt.Fprintln(&out, len(m), slices.Sorted(maps.Keys(m)))
			}
			v, err = load(malformedPath("zip_checksum"))
			fmt.Fprintln(&out, err)
			if x, ok := v.(*torch.Tensor); ok {
				fmt.Fprintln(&out, x.Device())
			}
			_, err = load(malformedPath("unsafe_newobj"))
			fmt.Fprintln(&out, err)
		})
		return optiontest.Outcome{"all": out.String()}
	}
	from := func(path string, opts ...serialization.LoadOption) (any, error) {
		data, err := os.ReadFile(path)
		require.NoError(t, err)
		return serialization.LoadFrom(bytes.NewReader(data), int64(len(data)), opts...)
	}
	stateDict := func(path string, opts ...serialization.StateDictOption) (any, error) {
		s, err := serialization.LoadStateDict(path, opts...)
		if err != nil {
			return nil, err
		}
		return s.Map(), nil
	}
	damaged := damagedStateDict(t)
	meta := optiontest.Values(serialization.MapLocation(torch.Meta), serialization.MapLocation(0))
	mmap := optiontest.Values(serialization.Mmap(true), serialization.Mmap(false))
	crc := optiontest.Values(serialization.VerifyCRC32(false), serialization.VerifyCRC32(true))
	opaque := optiontest.Values(serialization.Opaque(true), serialization.Opaque(false))
	rows := map[string]optiontest.Row{
		"Load": optiontest.For(func(opts ...serialization.LoadOption) optiontest.Outcome {
			return read(func(path string) (any, error) { return serialization.Load(path, opts...) })
		}, meta, mmap, crc, opaque),
		"LoadFrom": optiontest.For(func(opts ...serialization.LoadOption) optiontest.Outcome {
			return read(func(path string) (any, error) { return from(path, opts...) })
		}, meta, optiontest.Refused(serialization.Mmap(true)), crc, opaque),
		"LoadStateDict": optiontest.For(func(opts ...serialization.StateDictOption) optiontest.Outcome {
			return read(func(path string) (any, error) { return stateDict(path, opts...) })
		}, meta, mmap, crc, opaque, optiontest.Values(serialization.Key("model"), serialization.Key("none"))),
		"LoadDict": optiontest.For(func(opts ...serialization.StateDictOption) optiontest.Outcome {
			return read(func(path string) (any, error) {
				d, err := serialization.LoadDict(path, opts...)
				return map[string]*torch.Tensor{fmt.Sprint(d.Keys()): nil}, err
			})
		}, meta, mmap, crc, opaque, optiontest.Values(serialization.Key("model"), serialization.Key("none"))),
		"OpenStateDict": optiontest.For(func(opts ...serialization.StateDictOption) optiontest.Outcome {
			return lazily(t, damaged, opts)
		}, meta, mmap, crc, opaque, optiontest.Values(serialization.Key("model"), serialization.Key("none"))),
		"Save": optiontest.For(func(opts ...serialization.SaveOption) optiontest.Outcome {
			path := filepath.Join(t.TempDir(), "a.pt")
			require.NoError(t, serialization.Save(1, path, opts...))
			data, err := os.ReadFile(path)
			require.NoError(t, err)
			return optiontest.Outcome{"bytes": string(data)}
		}, optiontest.Values(serialization.ArchiveName("b"), serialization.ArchiveName("")),
			optiontest.Refused(serialization.ArchiveName("a/b"))),
		"SaveTo": optiontest.For(func(opts ...serialization.SaveOption) optiontest.Outcome {
			var b bytes.Buffer
			require.NoError(t, serialization.SaveTo(&b, 1, opts...))
			return optiontest.Outcome{"bytes": b.String()}
		}, optiontest.Values(serialization.ArchiveName("b"), serialization.ArchiveName("")),
			optiontest.Refused(serialization.ArchiveName("\xff"))),
		"NewArchive": optiontest.For(func(opts ...serialization.SaveOption) optiontest.Outcome {
			a, err := serialization.NewArchive(1, opts...)
			require.NoError(t, err)
			defer func() { _ = a.Close() }()
			var b bytes.Buffer
			_, err = a.WriteTo(&b)
			require.NoError(t, err)
			return optiontest.Outcome{"bytes": b.String()}
		}, optiontest.Values(serialization.ArchiveName("b"), serialization.ArchiveName("")),
			optiontest.Refused(serialization.ArchiveName("a/b"))),
	}
	optiontest.Read(t, ".").Run(t, rows)
}

// damagedStateDict writes a file in which the checksum of tensor "a" is wrong.
func damagedStateDict(t *testing.T) string {
	path := filepath.Join(t.TempDir(), "a.pt")
	torch.Scope(func() {
		require.NoError(t, serialization.Save(serialization.NewDict("a", torch.Full(torch.Shape{1000}, 7.0)), path))
	})
	data, err := os.ReadFile(path)
	require.NoError(t, err)
	at := bytes.Index(data, bytes.Repeat([]byte{0, 0, 0xe0, 0x40}, 1000)) // 7.0
	require.Positive(t, at)
	data[at] = 1
	require.NoError(t, os.WriteFile(path, data, 0o600))
	return path
}

// lazily describes the state dicts that OpenStateDict opens with the given options.
func lazily(t *testing.T, damaged string, opts []serialization.StateDictOption) optiontest.Outcome {
	var out strings.Builder
	torch.Scope(func() {
		for _, path := range []string{golden("checkpoint.pth"), damaged, malformedPath("unsafe_newobj")} {
			f, err := serialization.OpenStateDict(path, opts...)
			fmt.Fprintln(&out, f != nil, err)
			if err != nil {
				continue
			}
			for _, name := range f.Names() {
				x, err := f.Tensor(name)
				fmt.Fprintln(&out, name, err, mapped.Live())
				if err == nil {
					fmt.Fprintln(&out, x.Device())
				}
			}
			require.NoError(t, f.Close())
		}
	})
	return optiontest.Outcome{"all": out.String()}
}

// Passing an option to a function that does not take it does not compile.
func TestForeignOptions(t *testing.T) {
	s := compilefail.Scope{
		Imports: []string{"github.com/gotorch/gotorch/torch", "github.com/gotorch/gotorch/torch/serialization"},
	}
	s.Accepts(t,
		"serialization.Load(``, serialization.Mmap(true), serialization.MapLocation(torch.CPU))",
		"serialization.LoadStateDict(``, serialization.Key(`model`), serialization.Mmap(true))",
		"serialization.Save(nil, ``, serialization.ArchiveName(`x`))",
	)
	s.Rejects(t,
		"serialization.Load(``, serialization.Key(`model`))", "serialization.Load(``, torch.CPU)",
		"serialization.Save(nil, ``, serialization.Mmap(true))",
		"serialization.LoadStateDict(``, serialization.ArchiveName(`x`))")
}

// A file that is mapped into memory is not read, so asking for its checksums is an error.
func TestChecksumsOfMappedFiles(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a.pt")
	require.NoError(t, serialization.Save(int64(1), path))
	load := func(opts ...serialization.LoadOption) (err error) {
		tried := torch.Try(func() { _, err = serialization.Load(path, opts...) })
		return errors.Join(tried, err)
	}
	require.NoError(t, load(serialization.Mmap(true)))
	require.NoError(t, load(serialization.Mmap(true), serialization.VerifyCRC32(false)))
	require.NoError(t, load(serialization.Mmap(false), serialization.VerifyCRC32(true)))
	err := load(serialization.VerifyCRC32(true), serialization.Mmap(true))
	require.ErrorIs(t, err, torch.ErrValue)
	require.ErrorContains(t, err, "VerifyCRC32")
}
