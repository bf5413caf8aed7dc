;;; fastedit.el --- Merge edits of coding assistants into buffers  -*- lexical-binding: t; -*-

;; Package-Requires: ((emacs "27.1"))

;;; Commentary:

;; Copy what an assistant answered, go to the file that it is meant for, and type M-x fastedit-apply.  The change is
;; shown as a diff before it is made, and is one undo.  A service must run: `fastedit serve'.

;;; Code:

(require 'diff-mode)
(require 'json)
(require 'url)

(defgroup fastedit nil "Merge edits of coding assistants." :group 'tools)

(defcustom fastedit-url "http://127.0.0.1:8377"
  "Where `fastedit serve' listens."
  :type 'string)

(defcustom fastedit-mode "auto"
  "How edits are applied: auto, structural (no model) or model."
  :type '(choice (const "auto") (const "structural") (const "model")))

(defun fastedit--request (original edit)
  "What the service answers to EDIT for ORIGINAL, as an alist, or signal a `user-error'."
  (let* ((url-request-method "POST")
         (url-request-extra-headers '(("Content-Type" . "application/json")))
         (sha256 (secure-hash 'sha256 (encode-coding-string original 'utf-8-unix)))
         (path (if buffer-file-name (file-name-nondirectory buffer-file-name) (buffer-name)))
         (url-request-data
          (encode-coding-string
           (json-serialize `((original . ,original) (edit . ,edit) (path . ,path) (mode . ,fastedit-mode)
                             (sha256 . ,sha256)))
           'utf-8-unix))
         (buffer (condition-case problem
                     (url-retrieve-synchronously (concat fastedit-url "/v1/apply") t t 60)
                   (error (user-error "FastEdit: %s (UNREACHABLE)" (error-message-string problem))))))
    (unless buffer
      (user-error "FastEdit: no answer from %s (UNREACHABLE)" fastedit-url))
    (unwind-protect
        (with-current-buffer buffer
          (goto-char (point-min))
          (re-search-forward "\r?\n\r?\n")
          (let ((body (decode-coding-string (buffer-substring-no-properties (point) (point-max)) 'utf-8-unix)))
            (json-parse-string body :object-type 'alist :array-type 'list :null-object nil)))
      (kill-buffer buffer))))

(defun fastedit--refuse (problem)
  "Say why an edit was refused, as PROBLEM of the service tells it."
  (let ((places (mapconcat (lambda (place)
                             (format "\n  line %d: %s" (1+ (alist-get 'start_line place)) (alist-get 'reason place)))
                           (alist-get 'candidates problem) "")))
    (user-error "FastEdit: %s (%s)%s" (alist-get 'message problem) (alist-get 'code problem) places)))

(defun fastedit--accepted-p (diff)
  "Whether the person accepts DIFF."
  (save-window-excursion
    (with-current-buffer (get-buffer-create "*FastEdit preview*")
      (let ((inhibit-read-only t))
        (erase-buffer)
        (insert diff)
        (goto-char (point-min)))
      (diff-mode)
      (view-mode)
      (display-buffer (current-buffer)))
    (yes-or-no-p "Apply this edit? ")))

;;;###autoload
(defun fastedit-apply (edit)
  "Merge EDIT, by default the latest kill or what was copied, into the current buffer."
  (interactive (list (current-kill 0)))
  (save-restriction
    (widen)
    (let* ((original (buffer-substring-no-properties (point-min) (point-max)))
           (answer (fastedit--request original edit))
           (text (alist-get 'text answer)))
      (cond
       ((alist-get 'error answer) (fastedit--refuse (alist-get 'error answer)))
       ((equal text original) (message "FastEdit: the edit is in the file already"))
       ((not (fastedit--accepted-p (alist-get 'diff answer))) (message "FastEdit: discarded"))
       ((not (equal original (buffer-substring-no-properties (point-min) (point-max))))
        (user-error "FastEdit: the buffer has changed; nothing was applied (CONTENT_CONFLICT)"))
       (t (fastedit--replace text)
          (message "FastEdit: applied, %s" (alist-get 'strategy answer)))))))

(defun fastedit--replace (text)
  "Make TEXT the buffer's, as one undo; point and markers stay where they can."
  (let ((new (generate-new-buffer " *fastedit*")))
    (unwind-protect
        (progn
          (with-current-buffer new (insert text))
          (undo-boundary)
          (atomic-change-group (replace-buffer-contents new 1))
          (undo-boundary))
      (kill-buffer new))))

(provide 'fastedit)
;;; fastedit.el ends here
