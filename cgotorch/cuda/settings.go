package cuda

// #include <stdlib.h>
// #include "cuda_history.h"
import "C"

import (
	"sync"
	"unsafe"

	"github.com/gotorch/gotorch/cgotorch"
)

// Settings are the allocator's settings, mostly from PYTORCH_CUDA_ALLOC_CONF.
type Settings struct {
	Conf                                            string
	MaxSplitSize, PinnedNumRegisterThreads          int64
	GarbageCollectionThreshold                      float64
	ExpandableSegments, ReleaseLock                 bool
	PinnedUseHostRegister, GraphCaptureReuseStreams bool
	// divisions for sizes of 1, 2, 4 ... 32768 MiB
	Roundup [16]int64
}

func toSettings(s *C.gt_cuda_settings) Settings {
	to := Settings{
		Conf:                       C.GoString(s.conf),
		MaxSplitSize:               int64(s.max_split_size),
		PinnedNumRegisterThreads:   int64(s.pinned_num_register_threads),
		GarbageCollectionThreshold: float64(s.garbage_collection_threshold),
		ExpandableSegments:         s.expandable_segments != 0,
		ReleaseLock:                s.release_lock != 0,
		PinnedUseHostRegister:      s.pinned_use_host_register != 0,
		GraphCaptureReuseStreams:   s.capture_reuse != 0,
	}
	for i := range to.Roundup {
		to.Roundup[i] = int64(s.roundup[i])
	}
	return to
}

// ReadSettings reads the allocator's current settings.
func ReadSettings() (Settings, *cgotorch.Error) {
	var raw C.gt_cuda_settings
	if err := take(C.gt_cuda_settings_read(&raw)); err != nil {
		return Settings{}, err
	}
	defer C.free(unsafe.Pointer(raw.conf))
	return toSettings(&raw), nil
}

// settings is locked during Load and during a change of settings.
var settings sync.Mutex

// Setting is one "key:value" of a string such as PYTORCH_CUDA_ALLOC_CONF.
type Setting struct{ Key, Text string }

// A BadSetting is a rejected setting, with the reason. Err is nil if the key is unknown.
type BadSetting struct {
	Setting
	Err *cgotorch.Error
}

// Change changes the allocator's settings to conf, whose individual settings are in list.
// If the CUDA library is not open, Load applies the settings for that library.
//
// If a setting is rejected, bad describes it, and no setting changes.
func Change(conf string, list []Setting) (bad *BadSetting, err *cgotorch.Error) {
	settings.Lock()
	defer settings.Unlock()
	ready := C.gt_cuda_settings_ready() != 0
	var now []Setting
	text := ""
	for _, s := range list {
		switch owner, err := keyOwner(s.Key); {
		case err != nil:
			return nil, err
		case owner == C.GT_CUDA_KEY_UNKNOWN:
			return &BadSetting{Setting: s}, nil
		case ready || owner == C.GT_CUDA_KEY_COMMON:
			now = append(now, s)
			text += "," + s.Text
		}
	}
	text = text[min(1, len(text)):]
	if ready {
		text = conf
	}

	var values, last *C.char
	if err := take(C.gt_cuda_settings_save(&values, &last)); err != nil {
		return nil, err
	}
	defer C.free(unsafe.Pointer(values))
	defer C.free(unsafe.Pointer(last))
	if err := apply(text); err != nil {
		bad = &BadSetting{Setting{"", text}, err}
		// libtorch's error does not show which setting is wrong, so try them one at a
		// time.
		for _, s := range now {
			if err := apply(s.Text); err != nil {
				bad = &BadSetting{s, err}
				break
			}
		}
		take(C.gt_cuda_settings_apply(values))
		take(C.gt_cuda_settings_apply(last))
		return bad, nil
	}
	if !ready {
		c := C.CString(conf)
		defer C.free(unsafe.Pointer(c))
		return nil, take(C.gt_cuda_settings_keep(c))
	}
	return nil, nil
}

func keyOwner(key string) (C.int, *cgotorch.Error) {
	c := C.CString(key)
	defer C.free(unsafe.Pointer(c))
	var owner C.int
	err := take(C.gt_cuda_settings_key(c, &owner))
	return owner, err
}

func apply(conf string) *cgotorch.Error {
	c := C.CString(conf)
	defer C.free(unsafe.Pointer(c))
	return take(C.gt_cuda_settings_apply(c))
}
