package lint

// Process lists the process-wide variables of the library that change, each with the
// reason why it does not belong to a goroutine, a tensor or a caller.
var Process = []Global{
	{
		"cgotorch.generatorsDrawn",
		"the address of the bits that record which slots of generators.cpp were drawn from; it does not change",
	},
	{"cgotorch.nodeNumbers", "libtorch's counter of autograd nodes, read in place"},
	{
		"cgotorch.releasedCount",
		"number of Go objects that C++ has released and Go has not yet processed, read in place",
	},
	{"cgotorch/c10d.Ending", "number of closed groups that are not freed yet, for tests"},
	{
		"cgotorch/cuda.forgiven",
		"out-of-memory failures of each device that a second call resolved; libtorch counts failures per process",
	},
	{"cgotorch/cuda.library", "CUDA's library, which a process opens once"},
	{"cgotorch/cuda.settings", "the lock of the CUDA allocators' settings; libtorch has one set of them"},
	{"cgotorch/mem.CPU", "the CPU allocator's counters, in its own memory; libtorch has one CPU allocator"},
	{"internal/mapped.live", "number of mapped files, for tests"},
	{"internal/native/callback.objects", "Go functions and memory that libtorch refers to by number, from any thread"},
	{"internal/native/entry.door", "the gate, which limits the threads of the process"},
	{"internal/native/entry.intraOp", "`SetNumThreads`, as in PyTorch"},
	{"internal/native/live.origins", "the line that made each storage: tensors of all goroutines share storages"},
	{"internal/native/live.registry", "the list of open tensors that `memory.TrackTensors` keeps"},
	{
		"internal/native/live.windows",
		"the running leak checks; the labels of a goroutine say which of them count its tensors",
	},
	{
		"internal/native/modes.goroutines",
		"package torch's states of goroutines, which it registers at the start because the package is below it",
	},
	{"internal/native/named.held", "the memory that graphs and gradient buckets hold, for summaries and snapshots"},
	{
		"internal/native/named.objects",
		"number of objects other than tensors, for leak checks: any goroutine may hold them",
	},
	{
		"internal/native/own.owners",
		"package torch's scopes, which it registers at the start because the package is below it",
	},
	{"internal/native/pacer.atCollection", "how many bytes were alive after the last collection; Go has one collector"},
	{"internal/native/pacer.container", "the memory limit of the process's control group when it was last read"},
	{
		"internal/native/pacer.counts",
		"package torch's counter of handles, which it registers at the start because the pacer is below it",
	},
	{
		"internal/native/pacer.devices",
		"the CUDA devices and how many bytes were alive on each; set once CUDA is in use",
	},
	{
		"internal/native/pacer.hasLimit",
		"whether Go's memory limit, a setting of the process, was set when it was last read",
	},
	{"internal/native/pacer.limitSamples", "buffers for reuse"},
	{"internal/native/pacer.observer", "the function that `memory.SnapshotOnOOM` registers"},
	{
		"internal/native/pacer.pacer",
		"thresholds of `memory.SetGCPercent` and `SetMinHeap`, and counts of collections; Go has one collector",
	},
	{"internal/native/pacer.polled", "whether the memory of the devices has to be polled, and when it was last polled"},
	{
		"internal/native/pacer.retrying",
		"goroutines whose operator is called a second time; the function that ends a call looks them up",
	},
	{"internal/native/pacer.samples", "buffers for reuse"},
	{"internal/native/pacer.told", "package torch's function to call when counts are updated; registered like counts"},
	{
		"internal/native/recording.count",
		"number of steps being captured; layers check in every call whether there is one",
	},
	{"internal/native/recording.onCUDA", "package torch/cuda's function that captures a step on a device"},
	{
		"internal/native/recording.scaling",
		"for each goroutine in a step of optim.GraphedStep, whether it has scaled a loss",
	},
	{
		"internal/native/recording.underWay",
		"the steps being captured, by a number that the goroutines taking part have as a mode",
	},
	{"internal/native/region.recording", "the regions of the running profile, of all goroutines"},
	{
		"internal/native/trace.joins",
		"the number of each stack per goroutine, while a profile distinguishes goroutines; used like known",
	},
	{"internal/native/trace.known", "the number of each stack: numbers go through C++ and come back"},
	{"internal/native/trace.stacks", "the stack of each number: numbers go through C++ and come back"},
	{"internal/native/trace.users", "number of features that need stacks; if it is 0, operators record no stacks"},
	{
		"internal/native/trace.working",
		"for each goroutine of the library, such as a loader's worker, the stack of the call that it works for",
	},
	{"internal/sysmem.system", "where the process's control groups are, which seldom changes"},
	{"memory.emptyCalls", "the lines that call EmptyCache, for the warning: the caches belong to the process"},
	{"memory/internal/history.state", "what the allocators record; each allocator has one history"},
	{"memory/internal/lines.functions", "a cache of the function at each line, or of several functions after inlining"},
	{"memory/internal/lines.known", "a cache of the line of each stack: reports ask for the same few stacks"},
	{
		"nn.fieldsMutex",
		"a lock for registering the fields of modules: many goroutines may use a module from its first call on",
	},
	{"nn.functionalCalls", "number of running FunctionalCalls, so that other calls to Forward cost only one more load"},
	{"nn.globalHooks", "hooks of all modules, as in PyTorch: RegisterModuleForwardHook"},
	{"nn.mayHoldCache", "a cache: which types can hold tensors"},
	{"nn.moduleFieldsCache", "a cache: which fields of each struct type may hold modules"},
	{"nn.replacementCount", "number of layers replaced so far; when it changes, modules read their fields again"},
	{"nn.turns", "which goroutine uses a module during a FunctionalCall: trees share modules"},
	{"nn/parametrize.cache", "values computed within Cached, which applies to the process as in PyTorch"},
	{"optim.globalPost", "hooks after the steps of all optimizers, for the process as in Python"},
	{"optim.globalPre", "hooks before the steps of all optimizers, for the process as in Python"},
	{"torch.defaultDType", "`SetDefaultDType`, as in PyTorch; the dtype of `WithDType` is in the goroutine's state"},
	{"torch.defaultDevice", "`SetDefaultDevice`; the device of `WithDevice` is in the goroutine's state"},
	{"torch.earlySeed", "the seed of a `ManualSeed` before CUDA is opened, for the generators of the devices"},
	{
		"torch.generatorSlots",
		"the free slots of cgotorch/generators.cpp; each goroutine inside `WithGenerator` uses one",
	},
	{"torch.handleBuffers", "buffers for reuse"},
	{"torch.open", "number of open tensors, in several counters"},
	{"torch.printOptions", "`SetPrintOptions`, as in PyTorch"},
	{"torch.scopes", "scopes for reuse"},
	{"torch.scopesIgnored", "`own.IgnoreScopes`, which measures programs without scopes and which no program can call"},
	{"torch.states", "the state of each goroutine that has one"},
	{
		"torch/amp.cpuDType",
		"`SetAutocastDType`, like `SetDefaultDType`; the dtype of a running Autocast is in its goroutine's state",
	},
	{"torch/amp.cudaDType", "`SetAutocastDType` for CUDA, like cpuDType"},
	{"torch/amp.regions", "the state of each goroutine within Autocast"},
	{"torch/amp.taken", "whether a goroutine uses libtorch's table of casts, which belongs to the process"},
	{
		"torch/backends.running",
		"the running closures that set switches of the process, and the earlier values of the switches",
	},
	{
		"torch/cuda.captureStreams",
		"the streams that `cuda.Graph` records on, a few for each device, because memory pools are per stream",
	},
	{"torch/data.workerInfos", "the `WorkerInfo` of each goroutine that is a worker of a loader"},
	{
		"torch/distributed.agentGroups",
		"number of groups that the process has joined in the store of torchrun's agent, which outlives them",
	},
	{
		"torch/distributions.uncheckedDefault",
		"`SetDefaultValidateArgs`, as in PyTorch; `ValidateArgs` sets it for one distribution",
	},
	{
		"torch/dlpack.deleters",
		"pending deleters of other libraries, and the goroutine that calls them: a Close must not wait for their locks",
	},
	{"torch/profiler.busy", "the running profile: it covers all threads, so there is only one"},
	{"torch/profiler.known", "a cache of the lines of each stack: tables ask for the same few stacks"},
}
