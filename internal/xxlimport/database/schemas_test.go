package database

import (
	"slices"
	"strings"
)

// releases are those whose tables differ, the oldest first.
func releases() []string { return []string{"2.2", "2.3", "2.5", "3.2", "3.4", "3.5", "orth"} }

// since reports whether a release is another one or later. The Java Orth began at 3.3.
func since(release, first string) bool {
	if release == "orth" {
		release = "3.3"
	}
	return release >= first
}

// prefixOf begins the names of the tables of a release.
func prefixOf(release string) string {
	if release == "orth" {
		return "orth_job_"
	}
	return "xxl_job_"
}

// pick returns the first text when a condition holds.
func pick(condition bool, yes, no string) string {
	if condition {
		return yes
	}
	return no
}

// schemaOf returns the statements that make the tables of a release.
func schemaOf(release string) []string {
	java := release == "orth"
	param := pick(since(release, "3.4"), "TEXT", "VARCHAR(512)")
	info := []string{
		"id INT NOT NULL AUTO_INCREMENT PRIMARY KEY", "job_group INT NOT NULL", pick(!since(release, "2.3"), "job_cron VARCHAR(128) NOT NULL", ""),
		pick(since(release, "3.5"), "name", "job_desc") + " VARCHAR(255) NOT NULL", "add_time DATETIME", "update_time DATETIME",
		"author VARCHAR(64)", "alarm_email VARCHAR(255)",
		pick(since(release, "2.3"), "schedule_type VARCHAR(50) NOT NULL DEFAULT 'NONE', schedule_conf VARCHAR(128), misfire_strategy VARCHAR(50) NOT NULL DEFAULT 'DO_NOTHING'", ""),
		"executor_route_strategy VARCHAR(50)", "executor_handler VARCHAR(255)", "executor_param " + param, "executor_block_strategy VARCHAR(50)",
		pick(java, "executor_concurrency INT NOT NULL DEFAULT 1", ""), "executor_timeout INT NOT NULL DEFAULT 0",
		"executor_fail_retry_count INT NOT NULL DEFAULT 0", "glue_type VARCHAR(50) NOT NULL", "glue_source MEDIUMTEXT", "glue_remark VARCHAR(128)",
		"glue_updatetime DATETIME", "child_jobid VARCHAR(255)", pick(java, "super_task_id INT NOT NULL DEFAULT 0", ""),
		"trigger_status TINYINT NOT NULL DEFAULT 0", "trigger_last_time BIGINT NOT NULL DEFAULT 0", "trigger_next_time BIGINT NOT NULL DEFAULT 0",
	}
	log := []string{
		"id BIGINT NOT NULL AUTO_INCREMENT PRIMARY KEY", "job_group INT NOT NULL", "job_id INT NOT NULL", "executor_address VARCHAR(255)",
		"executor_handler VARCHAR(255)", "executor_param " + param, "executor_sharding_param VARCHAR(20)",
		"executor_fail_retry_count INT NOT NULL DEFAULT 0", "trigger_time DATETIME", pick(java, "schedule_time DATETIME", ""),
		"trigger_code INT NOT NULL", "trigger_msg TEXT", "handle_time DATETIME", "handle_code INT NOT NULL", "handle_msg TEXT",
		"alarm_status TINYINT NOT NULL DEFAULT 0", "KEY I_trigger_time (trigger_time)",
	}
	group := []string{
		"id INT NOT NULL AUTO_INCREMENT PRIMARY KEY", "app_name VARCHAR(64) NOT NULL",
		pick(since(release, "3.5"), "name VARCHAR(64) NOT NULL, access_token VARCHAR(255)", "title VARCHAR("+pick(java || since(release, "3.4"), "64", "12")+") NOT NULL"),
		"address_type TINYINT NOT NULL DEFAULT 0", "address_list TEXT", "update_time DATETIME",
	}
	user := []string{
		"id INT NOT NULL AUTO_INCREMENT PRIMARY KEY", "username VARCHAR(50) NOT NULL UNIQUE",
		pick(since(release, "3.2"), "password VARCHAR(100) NOT NULL, token VARCHAR(100)", "password VARCHAR(50) NOT NULL"),
		"role TINYINT NOT NULL", "permission VARCHAR(255)",
	}
	registry := []string{
		"id BIGINT NOT NULL AUTO_INCREMENT PRIMARY KEY", "registry_group VARCHAR(50) NOT NULL", "registry_key VARCHAR(255) NOT NULL",
		"registry_value VARCHAR(255) NOT NULL", "update_time DATETIME",
		pick(since(release, "2.5"), "UNIQUE ", "") + "KEY i_g_k_v (registry_group, registry_key, registry_value)",
	}
	code := []string{
		"id INT NOT NULL AUTO_INCREMENT PRIMARY KEY", "job_id INT NOT NULL", "glue_type VARCHAR(50)", "glue_source MEDIUMTEXT",
		"glue_remark VARCHAR(128) NOT NULL", "add_time DATETIME", "update_time DATETIME",
	}
	create := func(name string, columns []string) string {
		columns = slices.DeleteFunc(columns, func(c string) bool { return c == "" })
		return "CREATE TABLE " + prefixOf(release) + name + " (" + strings.Join(columns, ", ") + ") ENGINE=InnoDB DEFAULT CHARSET=utf8mb4"
	}
	return []string{
		create("info", info), create("log", log), create("group", group), create("user", user), create("registry", registry), create("logglue", code),
		create("lock", []string{"lock_name VARCHAR(50) NOT NULL PRIMARY KEY"}),
	}
}

// contentsOf returns the statements that fill the tables of a release.
func contentsOf(release string) []string {
	p, title, name := prefixOf(release), pick(since(release, "3.5"), "name", "title"), pick(since(release, "3.5"), "name", "job_desc")
	job := func(columns, values string) string {
		when, conf := "schedule_type, schedule_conf", "'CRON', '0 30 2 * * ?'"
		if !since(release, "2.3") {
			when, conf = "job_cron", "'0 30 2 * * ?'"
		}
		return "INSERT INTO " + p + "info (job_group, " + name + ", " + when + ", " + columns + ") VALUES (1, " + strings.Replace(values, "|", ", "+conf+", ", 1) + ")"
	}
	hash := pick(since(release, "3.2"), strings.Repeat("ab", 32), strings.Repeat("ab", 16))
	all := []string{
		"INSERT INTO " + p + "group (app_name, " + title + ", address_type, address_list) VALUES ('reports', '报表', 0, 'http://10.0.0.9:9999/'), ('by-hand', 'Hand', 1, ' 10.0.0.5:9999, http://10.0.0.6:9999/ ')",
		job("executor_route_strategy, executor_handler, executor_param, executor_block_strategy, executor_timeout, executor_fail_retry_count, glue_type, child_jobid, trigger_status, author, alarm_email",
			"'Nightly Report'|'FAILOVER', 'report', '每日', 'COVER_EARLY', 60, 2, 'BEAN', '2', 1, 'ada', 'ops@example.com'"),
		job("executor_route_strategy, executor_block_strategy, glue_type, glue_source, glue_remark", "'同步'|'ROUND', 'SERIAL_EXECUTION', 'GLUE_SHELL', 'echo \"日\"\\n', 'first'"),
		"INSERT INTO " + p + "logglue (job_id, glue_type, glue_source, glue_remark) VALUES (2, 'GLUE_SHELL', 'echo 1', 'a'), (2, 'GLUE_SHELL', 'echo 2', 'b')",
		"INSERT INTO " + p + "user (username, password, role, permission) VALUES ('admin', '" + hash + "', 1, NULL), ('Ada', '" + hash + "', 0, '1,7')",
	}
	if release == "orth" {
		all = append(all, job("executor_handler, executor_block_strategy, executor_concurrency, glue_type, super_task_id", "'Part'|'x', 'CONCURRENT', 3, 'BEAN', 2"))
	}
	return all
}
