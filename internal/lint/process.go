package lint

// Process lists the library's process-wide variables that change, each with the reason
// why it does not belong to a goroutine, a tensor or a caller.
var Process = []Global{
	{
		"cgotorch.generatorsDrawn",
		"the address of the bits that say which slots of generators.cpp were drawn from, which does not change",
	},
	{"cgotorch.nodeNumbers", "libtorch's counter of autograd nodes, read in place"},
	{
		"cgotorch.releasedCount",
		"how many of Go's objects C++ has let go of and Go has not taken back yet, read in place",
	},
	{"cgotorch/c10d.Ending", "how many groups that were closed are not free yet, which tests wait for"},
	{
		"cgotorch/cuda.forgiven",
		"out-of-memory failures of each device that were no errors in the end; libtorch counts them for the process",
	},
	{"cgotorch/cuda.library", "CUDA's library, which a process opens once"},
	{"cgotorch/cuda.settings", "the lock of the CUDA allocators' settings, of which libtorch has one set"},
	{"cgotorch/mem.CPU", "the CPU allocator's counters, in its own memory; libtorch has one CPU allocator"},
	{"internal/mapped.live", "how many files are mapped, for tests"},
	{"internal/native/callback.objects", "Go functions and memory that libtorch refers to by number, from any thread"},
	{"internal/native/entry.door", "the gate: the threads that it bounds are the process's"},
	{"internal/native/entry.intraOp", "`SetNumThreads`, as in PyTorch"},
	{"internal/native/live.origins", "which line made each storage: tensors of all goroutines share storages"},
	{"internal/native/live.registry", "the list of open tensors that `memory.TrackTensors` keeps"},
	{
		"internal/native/live.windows",
		"the leak checks that run, found by the labels of the goroutines that make tensors",
	},
	{
		"internal/native/modes.goroutines",
		"package torch's states of goroutines, which it hands over at the start; as own.owners",
	},
	{"internal/native/named.held", "where the memory of graphs and of buckets is, for summaries and snapshots"},
	{
		"internal/native/named.objects",
		"how many objects that are not tensors exist, for leak checks: any goroutine may hold them",
	},
	{
		"internal/native/own.owners",
		"package torch's scopes, which it hands over at the start, since the package is below it",
	},
	{"internal/native/pacer.atCollection", "how much was alive after the last collection; Go has one collector"},
	{"internal/native/pacer.container", "the memory limit of the process's control group, as it was last read"},
	{
		"internal/native/pacer.counts",
		"package torch's counter of handles, which it hands over at the start, since the pacer is below it",
	},
	{"internal/native/pacer.devices", "the CUDA devices and what was alive on each; set once CUDA is in use"},
	{"internal/native/pacer.hasLimit", "whether Go's memory limit, a setting of the process, was there when last read"},
	{"internal/native/pacer.limitSamples", "buffers for reuse"},
	{"internal/native/pacer.observer", "what `memory.SnapshotOnOOM` asked for"},
	{"internal/native/pacer.pacer", "thresholds and counts of collections; `memory.SetGCPercent` and `SetMinHeap` " +
		"set them as `debug.SetGCPercent` does"},
	{"internal/native/pacer.polled", "whether the devices' memory has to be asked for, and when it was"},
	{"internal/native/pacer.retrying", "goroutines whose operator is being called again; their end is seen elsewhere"},
	{"internal/native/pacer.samples", "buffers for reuse"},
	{"internal/native/pacer.told", "package torch's function for what changes with a collection; as counts"},
	{"internal/native/recording.count", "how many steps are being captured: layers ask at every call whether any is"},
	{"internal/native/recording.onCUDA", "package torch/cuda's function that captures a step on a device"},
	{
		"internal/native/recording.underWay",
		"the steps that are being captured, by the number that is the mode of those who take part",
	},
	{"internal/native/region.recording", "the regions of the profile that is being made, of all goroutines"},
	{"internal/native/trace.joins", "the number of each stack on each goroutine, while a profile tells goroutines " +
		"apart, and for each stack that a goroutine works for; as known"},
	{"internal/native/trace.known", "the number of each stack, which goes through C++ and back as a number"},
	{"internal/native/trace.stacks", "the stacks by number; as known"},
	{"internal/native/trace.users", "how many features want stacks, so that operators take none without"},
	{
		"internal/native/trace.working",
		"the stack that each goroutine of the library works for, as a loader's workers do for what made it",
	},
	{"internal/sysmem.system", "where the process's control groups are, which seldom changes"},
	{"memory.emptied", "the lines that call EmptyCache, for the warning: the caches are the process's"},
	{"memory/internal/history.state", "what the allocators record: each of them has one history"},
	{"memory/internal/lines.functions", "the name of the function at each line, which inlining may give several names"},
	{"memory/internal/lines.known", "the line of each stack, once it was asked for: reports ask for the same few"},
	{"nn.everyModule", "the hooks of all modules, as PyTorch has them: RegisterModuleForwardHook"},
	{"nn.holders", "which types can hold tensors, once it was found out: types are the process's"},
	{"nn.moduleFields", "the fields of each type of struct that may hold modules, once they were looked at"},
	{"nn.registering", "makes what registers the fields of modules one at a time: a module may be used by many " +
		"goroutines from its first call on"},
	{"nn.replacements", "how many layers were replaced: modules of any tree may hold what was, and look at their " +
		"fields again"},
	{"nn.substituting", "how many FunctionalCalls run, so that a Forward outside of one pays a load"},
	{"nn.turns", "which goroutine a module belongs to during a FunctionalCall: trees share modules"},
	{"nn/parametrize.cache", "what was computed within Cached, which counts for the process as in PyTorch"},
	{"optim.globalPost", "the hooks of the steps of all optimizers: Python's are the process's too"},
	{"optim.globalPre", "as optim.globalPost"},
	{"torch.defaultDType", "`SetDefaultDType`, as in PyTorch; a goroutine's own, `WithDType`, is in its state"},
	{"torch.defaultDevice", "`SetDefaultDevice`; a goroutine's own, `WithDevice`, is in its state"},
	{"torch.earlySeed", "`ManualSeed` before CUDA is opened, for the devices' generators, which are the process's"},
	{"torch.generatorSlots", "the slots of cgotorch/generators.cpp that no goroutine inside `WithGenerator` uses"},
	{"torch.handleBuffers", "buffers for reuse"},
	{"torch.open", "the count of open tensors, in parts"},
	{"torch.printOptions", "`SetPrintOptions`, as in PyTorch"},
	{"torch.scopes", "scopes for reuse"},
	{"torch.scopesIgnored", "for measuring programs without scopes: `own.IgnoreScopes`, which no program can call"},
	{"torch.states", "the state of each goroutine that has one, see above"},
	{"torch/amp.cpuDType", "`SetAutocastDType`, as `SetDefaultDType`; that of an Autocast that runs is in its " +
		"goroutine's state"},
	{"torch/amp.cudaDType", "as cpuDType"},
	{"torch/amp.regions", "the state of each goroutine within Autocast"},
	{"torch/amp.taken", "whether a goroutine has libtorch's table of casts, which is the process's"},
	{"torch/backends.running", "the closures that run and set switches of the process, and what these were"},
	{
		"torch/cuda.captureStreams",
		"the streams that `cuda.Graph` records on, a few for each device: pools of memory go by stream",
	},
	{"torch/data.infos", "the `WorkerInfo` of each goroutine that is a worker of a loader"},
	{
		"torch/distributed.inAgents",
		"how many groups the process has joined in the store of torchrun's agent, which outlives them",
	},
	{
		"torch/distributions.uncheckedDefault",
		"`SetDefaultValidateArgs`, as in PyTorch; `ValidateArgs` says it for one distribution",
	},
	{"torch/dlpack.deleters", "deleters of other libraries that are due, and the goroutine that calls them: who " +
		"closed the tensor must not wait for their locks"},
	{"torch/profiler.busy", "the profile that is being made: it is of all threads, so there is one"},
	{"torch/profiler.known", "the lines of each stack, once they were asked for: tables ask for the same few"},
}
