// The database of this process is not copied from a template, whose tables may be divided: plans that name a partition depend on
// the values of each execution, so PostgreSQL makes them anew.
delete process.env['TEST_DATABASE_TEMPLATE']
