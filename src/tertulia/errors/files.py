"""Uploaded files and pictures."""

from tertulia.errors import ClientError
from tertulia.errors.http import ServiceUnavailable


class SeveralFilesGiven(ClientError):
    message = "You may only upload one file at a time"
    problem = "too-many-files"


class UploadExpired(ClientError):
    message = "The upload has taken too long; please try again"
    problem = "upload-too-slow"


class UploadQuotaReached(ClientError):
    code = "REALM_UPLOAD_QUOTA"
    message = "Upload would exceed {whose} upload quota."


class InvalidAttachment(ClientError):
    message = "Invalid attachment"
    problem = "invalid-attachment"


class NoSuchFile(ClientError):
    status = 404
    code = "NOT_FOUND"
    message = "This file does not exist or has been deleted."


class FileAccessDenied(ClientError):
    status = 403
    code = "FORBIDDEN"
    message = "You are not authorized to view this file."


class LinkExpired(ClientError):
    status = 403
    code = "FORBIDDEN"
    message = "This link is no longer valid."


class FilesUnavailable(ServiceUnavailable):
    """The file store outside of the database cannot be reached."""

    message = "The server cannot reach its files right now. Please try again in a moment."
    headers = {"Retry-After": "5"}
