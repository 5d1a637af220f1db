package ground

// dropDuplicates makes a call once that is made several times.
func dropDuplicates(j *judge, rule string) {
	seen := map[string]bool{}
	kept := j.calls[:0]
	for _, c := range j.calls {
		key := c.Name + " " + text(c.Arguments)
		if seen[key] {
			j.find(rule, Place{Tool: c.Name}, "it is made already")
			continue
		}
		seen[key] = true
		kept = append(kept, c)
	}
	j.calls = kept
}
