package twin

// Unscope applies the environment variable Unscoped.
var Unscope = unscope
