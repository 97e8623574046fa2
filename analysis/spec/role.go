package spec

// A Superseded claim measured the wrong thing. It stays in the file, and is
// judged no more.
type Superseded struct {
	By     string   // the claim in its place, if there is one
	Seeds  []uint64 `json:"-"` // those that judged it; the claim in its place is judged on others
	Reason string   // what was wrong with it
	Last   string   // what it came to last
}

// A Control is a change of a claim's data for which the claim has to fail. It has
// exactly one form.
type Control struct {
	// Exchange are two values of the claim's `by`, each read in place of the other.
	Exchange []string
	// Instead maps values of the claim's `by` to those that are read in their place.
	Instead map[string]string
	// Measure maps measures to those that are read in their place.
	Measure map[string]string
	// Where are other values of dimensions at which the claim is judged.
	Where map[string]string
	// Reading is another reading of the experiment, name: value.
	Reading map[string]string
	// None says why there is no control.
	None string
}
