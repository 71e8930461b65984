package reason

import (
	"math"
	"regexp"
	"strconv"
	"strings"
	"time"
)

var (
	counting = regexp.MustCompile(`^(\d+) (\w+)$`)
	moreThan = regexp.MustCompile(`^more than (\d+)$`)
	others   = regexp.MustCompile(`^(\d+) more$`)
	node     = regexp.MustCompile(`^(\S+) (?:has|was) (\w+)$`)
	shard    = regexp.MustCompile(`(^|, )(\d+) \(run (\d+) (timed out|\w+)`)
	rest     = regexp.MustCompile(`, and (\d+) more$`)
)

// filling returns in Chinese what stands in the gap of a name.
func filling(name, value string, depth int) string {
	inner := func(text string) string {
		if said, known := say(text, depth+1); known {
			return said
		}
		return text
	}
	switch name {
	case "held", "last", "reason", "rest":
		return inner(value)
	case "notes":
		return listed(value, "; ", inner)
	case "nodes":
		return listed(value, ", ", ofNode)
	case "names":
		return listed(value, ", ", more)
	case "failures":
		return failures(value)
	case "ends":
		return listed(value, " and ", word)
	case "end":
		return ended(value)
	case "overlap", "policy":
		return word(value)
	case "number":
		return more(value)
	case "delay", "for", "late", "limit_for", "waited", "window":
		return lasting(value)
	case "calls", "executors", "firings", "runs", "shards", "slots", "tasks", "tries":
		return counted(value)
	case "until":
		if value == "a call that is under way has ended" {
			return "正在进行的调用结束"
		}
	}
	if at, ok := moment(value); ok {
		return at
	}
	return value
}

func listed(text, separator string, one func(string) string) string {
	all := strings.Split(text, separator)
	for i, part := range all {
		all[i] = one(part)
	}
	return strings.Join(all, "、")
}

// word returns a name of the API as texts for people have it.
func word(name string) string {
	switch name {
	case "failures":
		return "失败"
	case "timeouts":
		return "超时"
	case "losses":
		return "失联"
	case "serial":
		return "排队等待"
	case "discard":
		return "放弃"
	case "cover":
		return "取而代之"
	case "concurrent":
		return "并行"
	case "skip":
		return "跳过"
	case "fire_once":
		return "触发一次"
	case "fire_all":
		return "全部触发"
	}
	return name
}

// ended returns what became of a run or an attempt.
func ended(text string) string {
	switch strings.ReplaceAll(strings.TrimPrefix(text, "was "), " ", "_") {
	case "succeeded":
		return "成功"
	case "failed":
		return "失败"
	case "timed_out":
		return "超时"
	case "cancelled":
		return "已取消"
	case "lost":
		return "失联"
	case "skipped":
		return "已跳过"
	case "not_ready":
		return "尚未就绪"
	}
	return text
}

// counted returns "2 calls" with the word by which such things are counted.
func counted(text string) string {
	found := counting.FindStringSubmatch(text)
	if found == nil {
		return text
	}
	var unit string
	switch found[2] {
	case "call", "calls":
		unit = "次调用"
	case "executor", "executors":
		unit = "个执行器"
	case "firing", "firings":
		unit = "次触发"
	case "run", "runs":
		unit = "次运行"
	case "shard", "shards":
		unit = "个分片"
	case "slot", "slots":
		unit = "个计划时间"
	case "task", "tasks":
		unit = "个任务"
	case "retry", "retries":
		unit = "次"
	default:
		return text
	}
	return found[1] + " " + unit
}

func more(text string) string {
	if n := moreThan.FindStringSubmatch(text); n != nil {
		return "超过 " + n[1]
	}
	if n := others.FindStringSubmatch(text); n != nil {
		return "另有 " + n[1] + " 个"
	}
	return text
}

// ofNode returns a node and what became of it.
func ofNode(text string) string {
	if found := node.FindStringSubmatch(text); found != nil {
		return found[1] + " " + ended(found[2])
	}
	return text
}

// failures returns which shards failed, and what they said.
func failures(text string) string {
	text = shard.ReplaceAllStringFunc(text, func(part string) string {
		found := shard.FindStringSubmatch(part)
		separator := ""
		if found[1] != "" {
			separator = "、"
		}
		return separator + found[2] + " (运行 " + found[3] + " " + ended(found[4])
	})
	return rest.ReplaceAllString(text, "、另有 $1 个")
}

// lasting returns a duration in two or three units at most.
func lasting(text string) string {
	d, err := time.ParseDuration(text)
	if err != nil {
		return text
	}
	sign := ""
	if d < 0 {
		sign, d = "-", -max(d, -math.MaxInt64)
	}
	switch {
	case d < time.Second:
		return sign + strconv.FormatInt(d.Round(time.Millisecond).Milliseconds(), 10) + " 毫秒"
	case d < time.Minute:
		return sign + strconv.FormatFloat(d.Round(100*time.Millisecond).Seconds(), 'g', -1, 64) + " 秒"
	case d >= 48*time.Hour:
		return sign + strconv.Itoa(int(math.Round(d.Hours()/24))) + " 天"
	}
	s := int(d.Round(time.Second).Seconds())
	var units []string
	for _, u := range []struct {
		count int
		name  string
	}{{s / 3600, "小时"}, {s / 60 % 60, "分"}, {s % 60, "秒"}} {
		if u.count > 0 {
			units = append(units, strconv.Itoa(u.count)+" "+u.name)
		}
	}
	return sign + strings.Join(units, " ")
}
