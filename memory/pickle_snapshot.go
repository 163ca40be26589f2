package memory

import "unsafe"

// From the values of a pickle to a snapshot. Keys that are missing leave zero
// values, unknown ones are skipped, and a value of another type than expected
// is an error.

// seal turns a dict that is a trace entry or frame into one.
func (u *unpickler) seal(d *pyDict) {
	if d.entry != nil || d.frame != nil {
		return
	}
	if _, ok := d.get("action"); ok {
		u.sealEntry(d)
		return
	}
	u.sealFrame(d)
}

func (u *unpickler) sealEntry(d *pyDict) {
	e := new(TraceEntry)
	u.fields(d, func(key string, v any) {
		switch key {
		case "action":
			e.Action = u.asString(key, v)
		case "addr":
			e.Addr = u.asUint(key, v)
		case "size":
			e.Size = u.asInt(key, v)
		case "stream":
			e.Stream = u.asInt(key, v)
		case "time_us":
			e.TimeUs = u.asInt(key, v)
		case "compile_context":
			e.CompileContext = u.asString(key, v)
		case "user_metadata":
			e.UserMetadata = u.asString(key, v)
		case "frames":
			e.Frames = u.asFrames(key, v)
		case "forward_frames":
			e.ForwardFrames = u.asForward(key, v)
		case "device_free":
			e.DeviceFree = u.asInt(key, v)
		}
	})
	*d = pyDict{entry: e}
}

func (u *unpickler) sealFrame(d *pyDict) {
	if _, ok := d.get("filename"); !ok {
		return
	}
	f := new(Frame)
	u.fields(d, func(key string, v any) {
		switch key {
		case "name":
			f.Name = u.asString(key, v)
		case "filename":
			f.Filename = u.asString(key, v)
		case "line":
			f.Line = int(u.asInt(key, v))
		}
	})
	*d = pyDict{frame: f}
}

// spend counts dicts, their keys, and what lists that are shared hold, each time
// that they are turned into a part of the snapshot. Writers write each where it
// belongs, at a byte or more; only stacks and strings are references to what is
// elsewhere. So a file within which few bytes stand for very much is damaged, or
// made to exhaust its reader.
func (u *unpickler) spend(key string, n int) {
	if u.spent += int64(n); u.spent > u.read {
		u.fail("%s: more values than the file has bytes: it refers to the same ones again and again", key)
	}
}

func (u *unpickler) fields(d *pyDict, field func(key string, v any)) {
	// A dict within itself may be sealed meanwhile.
	keys, values := d.keys, d.values
	for i, k := range keys {
		field(k, values[i])
	}
}

func (u *unpickler) snapshot(top *pyDict) *SnapshotData {
	s := new(SnapshotData)
	budget := 1 << 16
	u.fields(top, func(key string, v any) {
		switch key {
		case "segments":
			for _, d := range u.asDicts(key, v) {
				s.Segments = append(s.Segments, u.segment(d))
			}
		case "device_traces":
			for _, t := range u.asList(key, v).items {
				s.DeviceTraces = append(s.DeviceTraces, u.asTrace(u.asList(key, t)))
			}
		case "allocator_settings":
			s.AllocatorSettings, _ = u.asSetting(key, v, 0, &budget).(map[string]any)
		case "external_annotations":
			for _, d := range u.asDicts(key, v) {
				s.ExternalAnnotations = append(s.ExternalAnnotations, u.annotation(d))
			}
		case "device_names":
			for _, n := range u.asList(key, v).items {
				s.Devices = append(s.Devices, u.asString(key, n))
			}
		}
	})
	_, segments := top.get("segments")
	_, traces := top.get("device_traces")
	if !segments && !traces {
		u.fail("the pickle is a dict without segments and device_traces")
	}
	s.complete()
	return s
}

func (u *unpickler) segment(d *pyDict) Segment {
	u.spend("segments", 1+len(d.keys))
	var s Segment
	u.fields(d, func(key string, v any) {
		switch key {
		case "device":
			s.Device = int(u.asInt(key, v))
		case "address":
			s.Address = u.asUint(key, v)
		case "total_size":
			s.TotalSize = u.asInt(key, v)
		case "allocated_size":
			s.AllocatedSize = u.asInt(key, v)
		case "active_size":
			s.ActiveSize = u.asInt(key, v)
		case "requested_size":
			s.RequestedSize = u.asInt(key, v)
		case "stream":
			s.Stream = u.asInt(key, v)
		case "segment_type":
			s.SegmentType = u.asString(key, v)
		case "segment_pool_id":
			for i, n := range u.asList(key, v).items[:min(2, len(u.asList(key, v).items))] {
				s.SegmentPoolID[i] = u.asInt(key, n)
			}
		case "is_expandable":
			s.IsExpandable, _ = v.(bool)
		case "frames":
			s.Frames = u.asFrames(key, v)
		case "blocks":
			s.Blocks = u.asBlocks(key, v)
		}
	})
	return s
}

func (u *unpickler) block(d *pyDict) Block {
	u.spend("blocks", 1+len(d.keys))
	var b Block
	u.fields(d, func(key string, v any) {
		switch key {
		case "address":
			b.Address = u.asUint(key, v)
		case "size":
			b.Size = u.asInt(key, v)
		case "requested_size":
			b.RequestedSize = u.asInt(key, v)
		case "state":
			b.State = u.asString(key, v)
		case "frames":
			b.Frames = u.asFrames(key, v)
		case "forward_frames":
			b.ForwardFrames = u.asForward(key, v)
		case "time_us":
			b.TimeUs = u.asInt(key, v)
		}
	})
	return b
}

func (u *unpickler) annotation(d *pyDict) Annotation {
	u.spend("external_annotations", 1+len(d.keys))
	var a Annotation
	u.fields(d, func(key string, v any) {
		switch key {
		case "name":
			a.Name = u.asString(key, v)
		case "stage":
			a.Stage = u.asString(key, v)
		case "device":
			a.Device = int(u.asInt(key, v))
		case "time_us":
			a.TimeUs = u.asInt(key, v)
		}
	})
	return a
}

func (u *unpickler) asBlocks(key string, v any) []Block {
	l := u.asList(key, v)
	if l.blocks == nil {
		l.blocks = make([]Block, 0, len(l.items))
		for _, d := range u.asDicts(key, v) {
			l.blocks = append(l.blocks, u.block(d))
		}
		return l.blocks
	}
	u.spend(key, len(l.blocks))
	return l.blocks
}

func (u *unpickler) asTrace(l *pyList) []TraceEntry {
	if l.traces == nil {
		l.traces = make([]TraceEntry, 0, len(l.items))
		for _, v := range l.items {
			d, ok := v.(*pyDict)
			if !ok {
				u.fail("device_traces: an entry is no dict")
			}
			if u.seal(d); d.entry == nil {
				u.fail("device_traces: an entry without an action")
			}
			u.spend("device_traces", 1)
			l.traces = append(l.traces, *d.entry)
		}
		return l.traces
	}
	u.spend("device_traces", len(l.traces))
	return l.traces
}

func (u *unpickler) asFrames(key string, v any) []Frame {
	l := u.asList(key, v)
	if l.frames == nil {
		l.frames = make([]Frame, 0, len(l.items))
		for _, v := range l.items {
			d, ok := v.(*pyDict)
			if !ok {
				u.fail("%s: a call is no dict", key)
			}
			if d.entry == nil && d.frame == nil {
				u.sealFrame(d)
			}
			if d.frame == nil {
				u.fail("%s: a call without a file", key)
			}
			l.frames = append(l.frames, *d.frame)
		}
	}
	return l.frames
}

func (u *unpickler) asForward(key string, v any) ForwardStack {
	l := u.asList(key, v)
	if l.frames == nil {
		n := len(l.items)
		l.frames = make([]Frame, n)
		for i, v := range l.items {
			l.frames[n-1-i] = u.call(u.asString(key, v))
		}
	}
	return l.frames
}

// call reads a line of a traceback. Many stacks have the same lines; each is read
// once, since u.words has each string once.
func (u *unpickler) call(line string) Frame {
	at := unsafe.StringData(line)
	f, ok := u.calls[at]
	if !ok {
		f = forwardStack([]string{line})[0]
		u.calls[at] = f
	}
	return f
}

func (u *unpickler) asList(key string, v any) *pyList {
	l, ok := v.(*pyList)
	if !ok {
		u.fail("%s: %T is no list", key, v)
	}
	return l
}

func (u *unpickler) asDicts(key string, v any) []*pyDict {
	l := u.asList(key, v)
	out := make([]*pyDict, len(l.items))
	for i, v := range l.items {
		d, ok := v.(*pyDict)
		if !ok {
			u.fail("%s: %T is no dict", key, v)
		}
		out[i] = d
	}
	return out
}

func (u *unpickler) asString(key string, v any) string {
	switch v := v.(type) {
	case string:
		return v
	case nil:
		return ""
	}
	u.fail("%s: %T is no string", key, v)
	return ""
}

func (u *unpickler) asInt(key string, v any) int64 {
	switch v := v.(type) {
	case int64:
		return v
	case bool:
		if v {
			return 1
		}
		return 0
	}
	u.fail("%s: %T is no integer", key, v)
	return 0
}

func (u *unpickler) asUint(key string, v any) uint64 {
	if n, ok := v.(uint64); ok {
		return n
	}
	return uint64(u.asInt(key, v))
}

// asSetting copies a value of the settings. A pickle may hold a dict within
// itself, or one a thousand times: depth and number are bounded.
func (u *unpickler) asSetting(key string, v any, depth int, budget *int) any {
	if *budget--; *budget < 0 || depth > 16 {
		u.fail("%s: too large", key)
	}
	switch v := v.(type) {
	case *pyDict:
		m := make(map[string]any, len(v.keys))
		u.fields(v, func(k string, e any) { m[k] = u.asSetting(key, e, depth+1, budget) })
		return m
	case *pyList:
		l := make([]any, len(v.items))
		for i, e := range v.items {
			l[i] = u.asSetting(key, e, depth+1, budget)
		}
		return l
	case uint64:
		return float64(v)
	}
	return v
}
