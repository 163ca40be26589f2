package safetensors

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"strings"

	"github.com/gotorch/gotorch/internal/wholefile"
	"github.com/gotorch/gotorch/torch"
)

// SaveSharded writes tensors to a directory, which it creates if needed. It splits them,
// in alphabetical order of their names, into files of at most [MaxShardSize] bytes:
// model-00001-of-00003.safetensors and so on. The index model.safetensors.index.json maps
// tensors to files. Tensors that fit into one file are written to model.safetensors
// without an index. By default [RemoveDuplicates] and [ForceContiguous] are true.
//
// At the end, SaveSharded replaces or removes the files of an earlier set with the same
// [FilenamePattern]. All files are first written under temporary names, so both sets take
// up disk space for a while, and an error leaves the earlier set intact. A reader always
// finds the earlier or the new set, with one exception. If both sets have the same number
// of files, the earlier index is removed first, and there is no index while the files are
// renamed. If the process is killed during this time, no index remains.
//
// Each file has the metadata "format": "pt", which transformers requires. [Metadata] goes
// into the index, or into the only file. The errors are the same as for [SaveFile]. Follows
// save_torch_state_dict of huggingface_hub.
func SaveSharded(tensors map[string]*torch.Tensor, dir string, opts ...ShardOption) error {
	s := readSharding("safetensors.SaveSharded", opts)
	all, err := s.list(tensors)
	if err != nil {
		return err
	}
	defer all.close()
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return ioFault(dir, "", err)
	}
	shards := split(all, s.most)
	set := &newSet{dir: dir, index: s.single() + indexExtension}
	defer set.discard()
	fileOf := map[string]string{}
	metadata := map[string]string{"format": "pt"}
	if len(shards) == 1 {
		maps.Copy(metadata, s.metadata)
	}
	for i, shard := range shards {
		name := strings.Replace(s.pattern, suffix, fmt.Sprintf("-%05d-of-%05d", i+1, len(shards)), 1)
		if len(shards) == 1 {
			name = s.single()
		}
		for _, e := range shard {
			fileOf[e.name] = name
		}
		p, err := shard.prepare(filepath.Join(dir, name), s.op, metadata)
		if err != nil {
			return err
		}
		set.files = append(set.files, prepared{name, p})
	}
	if len(shards) > 1 {
		p, err := s.prepareIndex(filepath.Join(dir, set.index), all.bytes(), fileOf)
		if err != nil {
			return err
		}
		set.files = append(set.files, prepared{set.index, p})
	}
	return set.replace(s.old())
}

func (s *saving) single() string { return strings.Replace(s.pattern, suffix, "", 1) }

// split divides the tensors among files, in order. most is the largest size of a file in
// bytes; a larger tensor gets its own file. There is at least one file.
func split(all list, most int64) []list {
	var shards []list
	var current list
	size := int64(0)
	for _, e := range all {
		if e.bytes > most {
			shards = append(shards, list{e})
			continue
		}
		if size+e.bytes > most {
			shards = append(shards, current)
			current, size = nil, 0
		}
		current = append(current, e)
		size += e.bytes
	}
	if len(current) > 0 || len(shards) == 0 {
		shards = append(shards, current)
	}
	return shards
}

func (s *saving) prepareIndex(path string, total int64, fileOf map[string]string) (*wholefile.Prepared, error) {
	metadata := map[string]any{"total_size": total}
	for k, v := range s.metadata {
		metadata[k] = v
	}
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	err := e.Encode(map[string]any{"metadata": metadata, "weight_map": fileOf})
	var p *wholefile.Prepared
	if err == nil {
		p, err = wholefile.Prepare(path, func(w io.Writer) error {
			_, err := w.Write(b.Bytes())
			return err
		})
	}
	if err != nil {
		return nil, ioFault(path, notWritten, err)
	}
	return p, nil
}

// old returns a regular expression that matches the file names of any earlier set.
func (s *saving) old() *regexp.Regexp {
	before, after, _ := strings.Cut(s.pattern, suffix)
	return regexp.MustCompile("^" + regexp.QuoteMeta(before) + `(-\d{5}-of-\d{5})?` + regexp.QuoteMeta(after) + "(" +
		regexp.QuoteMeta(indexExtension) + ")?$")
}
