package com.orth.job.service.handler;

import com.orth.job.core.context.OrthJobHelper;
import com.orth.job.core.handler.*;
import static com.orth.job.core.context.OrthJobContext.getOrthJobContext;

public class OrthClass extends IJobHandler {
    @Override
    public void execute() throws Exception {
        OrthJobHelper.log("other names, job {}", getOrthJobContext().getJobId());
        com.abc.orth.job.core.context.OrthJobHelper.handleSuccess("by another name");
    }
}
