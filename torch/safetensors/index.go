package safetensors

import (
	"bytes"
	"encoding/json"
	"io"
	"path"
	"path/filepath"
	"strings"

	"github.com/gotorch/gotorch/internal/fileerr"
	"github.com/gotorch/gotorch/torch"
)

// index is the content of an index file.
type index struct {
	files    map[string]string // the file of each tensor
	metadata map[string]string
}

// readIndex reads an index file: an object with weight_map, which maps tensors to files,
// and optional metadata. Other keys are ignored.
func readIndex(path string) (*index, error) {
	f, _, err := fileerr.Open(formatName, path)
	if err != nil {
		return nil, err
	}
	defer func() { _ = f.Close() }() // the file was only read, so closing it loses no data
	text, err := io.ReadAll(io.LimitReader(f, maxHeader+1))
	if err != nil {
		return nil, ioFault(path, "", err)
	}
	if len(text) > maxHeader {
		return nil, fault(path, torch.ErrFormat, maxHeader, "the index has more than %d bytes", maxHeader)
	}
	return parseIndex(path, text)
}

func parseIndex(path string, text []byte) (*index, error) {
	p := &parser{path: path, text: text}
	if len(text) == 0 {
		return nil, fault(path, torch.ErrTruncated, 0, "an empty file; expected an index in JSON")
	}
	if what := fileerr.Instead(text); what != "" {
		return nil, p.fault(0, "%s", what)
	}
	if err := p.checkText(); err != nil {
		return nil, err
	}
	p.dec = json.NewDecoder(bytes.NewReader(text))
	p.dec.UseNumber()
	x := &index{}
	err := p.object("the index", map[string]bool{}, func(key string) error {
		switch key {
		case "weight_map":
			return p.weightMap(x)
		case "metadata":
			return p.indexMetadata(x)
		default:
			var skipped json.RawMessage
			return p.value(&skipped)
		}
	})
	if err != nil {
		return nil, err
	}
	if x.files == nil {
		return nil, p.fault(0, "weight_map is missing")
	}
	return x, nil
}

func (p *parser) weightMap(x *index) error {
	x.files = map[string]string{}
	return p.object("weight_map", map[string]bool{}, func(tensor string) error {
		at := p.at()
		file, err := p.word("weight_map[" + quote(tensor) + "]")
		if err != nil {
			return err
		}
		if !staysInside(file) {
			return of(tensor,
				p.fault(at, "expected a file below the index's folder that ends in %q, got %s", extension, quote(file)))
		}
		x.files[tensor] = file
		return nil
	})
}

// staysInside reports whether file, a name in an index, is below the index's directory on
// every operating system. The name must be in canonical form, so that an index cannot
// have several names for one file.
func staysInside(file string) bool {
	return path.Clean(file) == file && filepath.IsLocal(filepath.FromSlash(file)) &&
		!strings.ContainsAny(file, "\\:\x00") && strings.HasSuffix(file, extension)
}

// indexMetadata reads the metadata, an object with values of any type.
func (p *parser) indexMetadata(x *index) error {
	x.metadata = map[string]string{}
	return p.object("metadata", map[string]bool{}, func(key string) error {
		var raw json.RawMessage
		if err := p.value(&raw); err != nil {
			return err
		}
		var s string
		if raw[0] != '"' || json.Unmarshal(raw, &s) != nil {
			s = string(raw)
		}
		x.metadata[key] = s
		return nil
	})
}

func (p *parser) value(to *json.RawMessage) error {
	at := p.at()
	if err := p.dec.Decode(to); err != nil {
		return p.fault(at, "invalid JSON: %v", err)
	}
	return nil
}
