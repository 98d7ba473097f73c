-- Naming a feed or uploading a file proves nothing, so neither leads to an account any more. Profiles and items stay as they are.
-- Rows of operators' own services of this kind, and rows that the previous release still writes, are not read.
delete from service_user where service in ('feed', 'files');
